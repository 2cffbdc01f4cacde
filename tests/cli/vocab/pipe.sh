"$GGUF" vocab --special - <"$FILES/words/words-vocab.gguf"
