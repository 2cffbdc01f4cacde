# needs: terminal
"$ON_TERMINAL" 20 "$GGUF" dump --color=never "$FILES/good/vocab.gguf"
