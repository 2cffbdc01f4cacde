"$GGUF" vocab "$FILES/words/words-plain.gguf"
