"$GGUF" template --help
