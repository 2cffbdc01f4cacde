"$GGUF" keys "$FILES/worked/worked-mix.gguf" nothing
