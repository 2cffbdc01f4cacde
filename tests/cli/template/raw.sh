"$GGUF" template --quiet --raw --name danger "$FILES/words/words-templates.gguf" | tail -n 1 | od -An -tx1
