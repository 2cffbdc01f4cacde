"$GGUF" vocab --find 'a\d' "$FILES/words/words-vocab.gguf"
