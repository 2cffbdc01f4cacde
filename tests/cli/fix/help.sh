"$GGUF" help fix
