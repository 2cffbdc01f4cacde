"$GGUF" template "$FILES/words/words-plain.gguf"
