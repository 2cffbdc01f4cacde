"$GGUF" template --name danger "$FILES/words/words-templates.gguf" >/dev/null
