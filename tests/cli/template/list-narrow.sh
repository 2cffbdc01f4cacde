# needs: terminal
"$ON_TERMINAL" 40 "$GGUF" template --quiet --color never --list "$FILES/words/words-templates.gguf"
