# needs: terminal
"$ON_TERMINAL" 200 "$GGUF" tensors --color=never "$FILES/odd/d16-name-127.gguf"
