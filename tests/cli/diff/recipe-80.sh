# needs: terminal
"$PAIRS" recipe
"$ON_TERMINAL" 80 "$GGUF" diff --color never a.gguf b.gguf
