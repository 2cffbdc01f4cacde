# needs: terminal
"$ON_TERMINAL" 200 "$GGUF" check "$FILES/hostile/e13-key-max.gguf"
