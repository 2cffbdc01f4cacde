"$GGUF" name
