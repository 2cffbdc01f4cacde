"$GGUF" template --raw --json "$FILES/words/words-templates.gguf"
