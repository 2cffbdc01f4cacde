"$GGUF" vocab "$FILES/words/words-short.gguf"
