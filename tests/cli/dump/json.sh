"$GGUF" dump --json "$FILES/worked/worked-written.gguf"
