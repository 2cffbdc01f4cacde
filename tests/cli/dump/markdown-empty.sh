"$GGUF" dump --markdown "$FILES/good/empty.gguf"
