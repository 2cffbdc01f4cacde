"$GGUF" stats --reverse x.gguf
