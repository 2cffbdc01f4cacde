"$GGUF" rename --help
