"$GGUF" recover --help
