"$GGUF" copy --json --align 128 "$FILES/good/one-tensor.gguf" out.gguf
