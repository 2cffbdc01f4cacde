"$GGUF" vocab --json --find nothing "$FILES/words/words-vocab.gguf"
