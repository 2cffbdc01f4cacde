# needs: terminal
"$ON_TERMINAL" 200 "$GGUF" map --color=never --entries "$FILES/odd/d16-name-127.gguf"
