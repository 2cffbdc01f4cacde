"$GGUF" copy --help
