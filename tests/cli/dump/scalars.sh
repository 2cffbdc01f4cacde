"$GGUF" dump "$FILES/worked/worked-scalars.gguf"
