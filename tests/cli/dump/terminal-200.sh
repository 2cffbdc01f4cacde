# needs: terminal
"$ON_TERMINAL" 200 "$GGUF" dump --color=never "$FILES/good/llama.gguf"
