"$GGUF" name --parse x.gguf y.gguf
