"$GGUF" help tensors
