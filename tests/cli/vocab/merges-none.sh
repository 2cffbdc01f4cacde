"$GGUF" vocab --merges "$FILES/words/words-short.gguf"
