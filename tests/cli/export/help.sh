"$GGUF" export --help
