"$GGUF" template --name c "$FILES/words/words-unnamed.gguf"
