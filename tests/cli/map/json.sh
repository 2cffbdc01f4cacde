"$GGUF" map --json "$FILES/worked/worked-layout.gguf"
