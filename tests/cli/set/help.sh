"$GGUF" set --help
