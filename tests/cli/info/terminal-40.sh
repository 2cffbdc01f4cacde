# needs: terminal
"$ON_TERMINAL" 40 "$GGUF" info --color=never "$FILES/odd/d12-control.gguf"
