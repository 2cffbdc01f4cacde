"$GGUF" map
