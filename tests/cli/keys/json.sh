"$GGUF" keys --json "$FILES/worked/worked-written.gguf"
