# needs: terminal
"$QUANTIZABLE"
"$ON_TERMINAL" 160 "$GGUF" stats nan.gguf '*.0.*'
