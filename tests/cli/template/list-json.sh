"$GGUF" template --quiet --list --json "$FILES/words/words-templates.gguf"
