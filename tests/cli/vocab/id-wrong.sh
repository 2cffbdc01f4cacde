"$GGUF" vocab --id 3:1 "$FILES/words/words-vocab.gguf"
