# needs: terminal
"$IMPORTANCES"
"$ON_TERMINAL" 60 "$GGUF" imatrix show prose.gguf
"$ON_TERMINAL" 80 "$GGUF" imatrix check broken.gguf ||
    echo "status $?"
