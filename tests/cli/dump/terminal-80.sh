# needs: terminal
"$ON_TERMINAL" 80 "$GGUF" dump "$FILES/good/llama.gguf"
"$ON_TERMINAL" 80 "$GGUF" dump --color=never "$FILES/odd/d12-control.gguf"
