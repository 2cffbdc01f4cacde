"$GGUF" vocab "$FILES/words/words-kinds.gguf"
