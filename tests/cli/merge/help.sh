"$GGUF" merge --help
