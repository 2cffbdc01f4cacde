"$GGUF" info nothing-here.gguf
