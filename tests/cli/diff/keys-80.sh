# needs: terminal
"$PAIRS" keys
"$ON_TERMINAL" 80 "$GGUF" diff --color never a.gguf b.gguf
