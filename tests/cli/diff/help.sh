"$GGUF" diff --help
