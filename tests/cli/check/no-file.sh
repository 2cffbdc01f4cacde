"$GGUF" check
