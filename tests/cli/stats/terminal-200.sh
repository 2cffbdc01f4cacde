# needs: terminal
"$QUANTIZABLE"
"$ON_TERMINAL" 200 "$GGUF" stats model.gguf '*.0.*'
