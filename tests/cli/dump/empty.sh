"$GGUF" dump "$FILES/good/empty.gguf"
