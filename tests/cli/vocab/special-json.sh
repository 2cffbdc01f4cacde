"$GGUF" vocab --special --json "$FILES/words/words-vocab.gguf"
