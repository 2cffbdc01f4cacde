"$GGUF" tensors --sort colour x.gguf
