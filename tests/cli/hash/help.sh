"$GGUF" hash --help
