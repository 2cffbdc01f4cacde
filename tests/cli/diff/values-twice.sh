# Of tensors of one name the first is compared with the first, and so on.
cp "$FILES/odd/d19-tensor-differs.gguf" a.gguf
cp a.gguf b.gguf
"$GGUF" diff --values -v a.gguf b.gguf
echo "exit status $?"
"$GGUF" diff --values -v "$FILES/odd/d19-tensor-twice.gguf" a.gguf
echo "exit status $?"
