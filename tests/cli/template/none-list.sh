"$GGUF" template --list --json "$FILES/words/words-plain.gguf"
