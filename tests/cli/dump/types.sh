"$GGUF" dump "$FILES/good/types.gguf"
