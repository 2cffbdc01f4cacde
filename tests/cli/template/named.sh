"$GGUF" template --name tool_use "$FILES/words/words-templates.gguf"
