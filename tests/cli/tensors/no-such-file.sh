"$GGUF" tensors nowhere.gguf
