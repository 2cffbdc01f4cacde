# needs: terminal
"$IMPORTANCES"
"$GGUF" imatrix merge -q all.gguf prose.gguf code.gguf
"$GGUF" imatrix merge -q one.gguf code.gguf old.dat
for width in 60 80; do
    "$ON_TERMINAL" "$width" "$GGUF" imatrix show all.gguf
    "$ON_TERMINAL" "$width" "$GGUF" imatrix show one.gguf
done
"$ON_TERMINAL" 80 "$GGUF" imatrix check broken.gguf ||
    echo "status $?"
