"$GGUF" map --entries --json "$FILES/worked/worked-layout.gguf"
