"$GGUF" dump nowhere.gguf
