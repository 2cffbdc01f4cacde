"$GGUF" tensors --json "$FILES/worked/worked-written.gguf"
