# needs: terminal
"$QUANTIZABLE"
"$ON_TERMINAL" 100 "$GGUF" stats nan.gguf '*.0.*'
