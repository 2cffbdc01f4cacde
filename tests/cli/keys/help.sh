"$GGUF" help keys
