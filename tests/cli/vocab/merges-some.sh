"$GGUF" vocab --merges --id 1: --find 'a \*' --json "$FILES/words/words-vocab.gguf"
