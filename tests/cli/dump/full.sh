"$GGUF" dump --full "$FILES/good/vocab.gguf"
