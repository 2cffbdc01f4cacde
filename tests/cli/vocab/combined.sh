"$GGUF" vocab --id :3 --special --find '<*s*' "$FILES/words/words-vocab.gguf"
