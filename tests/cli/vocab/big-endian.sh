"$GGUF" vocab "$FILES/words/words-vocab-big.gguf"
