# An ending of which there is no such file is no name for a folder, unless one
# is there; what is no ending is.
for out in a.npz a.PT b/model.gguf; do
    "$GGUF" export model.gguf -o "$out"
    echo "exit status $?"
done
mkdir there.d
for out in a.npz/ v1.5 there.d .hidden; do
    "$GGUF" export -q "$FILES/good/one-tensor.gguf" -o "$out"
    echo "exit status $?"
done
ls -A
