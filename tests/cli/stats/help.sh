"$GGUF" help stats
