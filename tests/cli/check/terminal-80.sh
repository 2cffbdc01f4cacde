# needs: terminal
"$ON_TERMINAL" 80 "$GGUF" check "$FILES/hostile/e65-newlines.gguf"
"$ON_TERMINAL" 80 "$GGUF" check --color=never "$FILES/hostile/e13-key-max.gguf"
