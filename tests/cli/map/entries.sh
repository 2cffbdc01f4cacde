"$GGUF" map --entries "$FILES/worked/worked-layout.gguf"
