# needs: terminal
"$ON_TERMINAL" 80 "$GGUF" dump --color=never --full --no-tensors "$FILES/good/vocab.gguf"
