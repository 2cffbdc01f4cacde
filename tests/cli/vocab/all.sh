"$GGUF" vocab "$FILES/words/words-vocab.gguf"
