"$GGUF" tensors --reverse x.gguf
