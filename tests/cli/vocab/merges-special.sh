"$GGUF" vocab --merges --special "$FILES/words/words-vocab.gguf"
