"$GGUF" copy -q "$FILES/good/one-tensor.gguf" in.gguf
ln -s in.gguf link.gguf
ln in.gguf hard.gguf
for out in in.gguf ./in.gguf link.gguf hard.gguf; do
    "$GGUF" copy --force in.gguf $out
    echo $?
done
cmp in.gguf "$FILES/good/one-tensor.gguf"
