"$GGUF" vocab "$FILES/words/words-twice.gguf"
