"$GGUF" info --demo
