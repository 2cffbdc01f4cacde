"$GGUF" config
