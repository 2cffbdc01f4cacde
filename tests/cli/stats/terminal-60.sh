# needs: terminal
"$QUANTIZABLE"
"$ON_TERMINAL" 60 "$GGUF" stats nan.gguf '*.0.*'
