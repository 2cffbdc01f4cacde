"$GGUF" template "$FILES/words/words-unnamed.gguf"
