"$GGUF" tensors
