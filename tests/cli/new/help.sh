"$GGUF" new --help
