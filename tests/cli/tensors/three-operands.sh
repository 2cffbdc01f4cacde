"$GGUF" tensors a.gguf b c
