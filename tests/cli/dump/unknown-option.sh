"$GGUF" dump --tensors a.gguf
