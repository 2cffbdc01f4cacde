"$GGUF" types --json
