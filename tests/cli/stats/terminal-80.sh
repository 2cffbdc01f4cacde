# needs: terminal
# At 80 columns the histogram goes, then columns; names stay whole.
"$QUANTIZABLE"
"$ON_TERMINAL" 80 "$GGUF" stats model.gguf '*.0.*'
"$ON_TERMINAL" 80 "$GGUF" stats nan.gguf '*.0.attn*'
