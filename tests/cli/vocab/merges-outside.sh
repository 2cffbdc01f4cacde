"$GGUF" vocab --merges --id 3 "$FILES/words/words-vocab.gguf"
