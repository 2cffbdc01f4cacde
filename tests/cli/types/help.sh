"$GGUF" types --help
