"$GGUF" template "$FILES/words/words-templates.gguf"
