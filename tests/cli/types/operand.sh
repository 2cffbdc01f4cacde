"$GGUF" types model.gguf
