# needs: terminal
"$PAIRS" keys
"$ON_TERMINAL" 200 "$GGUF" diff a.gguf b.gguf
