# needs: terminal
"$ON_TERMINAL" 80 "$GGUF" info --color=never --demo
