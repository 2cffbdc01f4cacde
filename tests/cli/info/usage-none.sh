"$GGUF" info
