"$GGUF" hash "$FILES/worked/worked-written.gguf"
