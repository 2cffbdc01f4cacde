"$GGUF" rm --help
