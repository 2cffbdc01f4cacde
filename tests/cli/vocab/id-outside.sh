"$GGUF" vocab --id 16 "$FILES/words/words-vocab.gguf"
