"$GGUF" dump "$FILES/good/arrays.gguf"
