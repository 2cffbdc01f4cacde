"$GGUF" map --help
