"$GGUF" config --help
