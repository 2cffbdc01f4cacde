"$GGUF" quantize --help
