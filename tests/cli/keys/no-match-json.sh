"$GGUF" keys --json "$FILES/worked/worked-mix.gguf" nothing
