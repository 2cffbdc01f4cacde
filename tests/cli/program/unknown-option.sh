"$GGUF" info --jsno model.gguf
