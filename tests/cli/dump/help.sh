"$GGUF" dump --help
