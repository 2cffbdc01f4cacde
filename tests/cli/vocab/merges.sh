"$GGUF" vocab --merges "$FILES/words/words-vocab.gguf"
