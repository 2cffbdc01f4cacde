"$GGUF" dump --markdown "$FILES/worked/worked-written.gguf"
