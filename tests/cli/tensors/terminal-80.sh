# needs: terminal
"$ON_TERMINAL" 80 "$GGUF" tensors "$FILES/worked/worked-mix.gguf"
"$ON_TERMINAL" 80 "$GGUF" tensors --color=never "$FILES/hostile/e43-name-path.gguf"
