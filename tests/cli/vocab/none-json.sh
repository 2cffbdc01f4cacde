"$GGUF" vocab --json "$FILES/words/words-plain.gguf"
