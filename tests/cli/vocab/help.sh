"$GGUF" vocab --help
