"$GGUF" template --json -n danger "$FILES/words/words-templates.gguf"
