"$GGUF" keys "$FILES/worked/worked-scalars.gguf"
