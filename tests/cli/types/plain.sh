"$GGUF" types
