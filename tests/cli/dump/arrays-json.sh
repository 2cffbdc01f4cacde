"$GGUF" dump --json "$FILES/good/arrays.gguf"
