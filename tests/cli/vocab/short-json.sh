"$GGUF" vocab --json "$FILES/words/words-short.gguf"
