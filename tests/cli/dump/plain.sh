"$GGUF" dump "$FILES/worked/worked-written.gguf"
