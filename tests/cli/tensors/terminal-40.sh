# needs: terminal
"$ON_TERMINAL" 40 "$GGUF" tensors --color=never "$FILES/worked/worked-mix.gguf"
