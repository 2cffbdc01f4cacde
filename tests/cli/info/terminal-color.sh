# needs: terminal
"$ON_TERMINAL" 80 "$GGUF" info --demo
