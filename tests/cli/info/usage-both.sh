"$GGUF" info --demo x.gguf
