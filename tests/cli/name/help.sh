"$GGUF" name --help
