"$GGUF" copy in.gguf
echo $?
"$GGUF" copy --in-place in.gguf out.gguf
echo $?
"$GGUF" copy in.gguf out.gguf -o other.gguf
echo $?
for align in 24 0 4000 3K -1 5Q 4294967296; do
    "$GGUF" copy --align $align "$FILES/good/one-tensor.gguf" out.gguf
    echo $?
done
"$GGUF" copy --in-place -
echo $?
