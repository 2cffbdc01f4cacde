"$GGUF" split --help
