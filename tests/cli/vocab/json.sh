"$GGUF" vocab --json "$FILES/words/words-vocab.gguf"
