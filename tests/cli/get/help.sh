"$GGUF" get --help
