"$GGUF" get x.gguf
