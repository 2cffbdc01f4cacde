"$GGUF" fix --json "$FILES/words/words-vocab.gguf" -o out.gguf
