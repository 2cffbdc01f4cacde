"$GGUF" template --quiet --name danger "$FILES/words/words-templates.gguf"
