"$GGUF" vocab --find 'a\x1' "$FILES/words/words-vocab.gguf"
