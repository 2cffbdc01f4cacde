# needs: terminal
"$ON_TERMINAL" 80 "$GGUF" dump --json "$FILES/worked/worked-written.gguf"
