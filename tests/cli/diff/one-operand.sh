"$GGUF" diff a.gguf
