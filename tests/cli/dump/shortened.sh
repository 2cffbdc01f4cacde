"$GGUF" dump "$FILES/good/vocab.gguf"
