"$GGUF" template --list --name x "$FILES/words/words-templates.gguf"
