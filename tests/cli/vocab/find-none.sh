"$GGUF" vocab --find nothing "$FILES/words/words-vocab.gguf"
