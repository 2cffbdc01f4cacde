"$GGUF" dump a.gguf b.gguf
