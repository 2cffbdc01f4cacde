# needs: terminal
"$ON_TERMINAL" 80 "$GGUF" template --raw "$FILES/words/words-templates.gguf"
