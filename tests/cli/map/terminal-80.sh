# needs: terminal
"$ON_TERMINAL" 80 "$GGUF" map "$FILES/good/llama.gguf"
"$ON_TERMINAL" 80 "$GGUF" map --color=never --entries "$FILES/odd/d16-name-127.gguf"
