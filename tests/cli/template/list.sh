"$GGUF" template --quiet --list "$FILES/words/words-templates.gguf"
