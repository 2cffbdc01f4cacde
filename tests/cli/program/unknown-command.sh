"$GGUF" inof model.gguf
