"$GGUF" map a b
