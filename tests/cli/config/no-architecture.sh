"$GGUF" config "$FILES/good/empty.gguf"
