"$GGUF" name --build --json x.gguf
