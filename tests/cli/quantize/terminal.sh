# needs: terminal
"$QUANTIZABLE"
for columns in 60 80 200; do
    "$ON_TERMINAL" $columns "$GGUF" quantize --dry-run -v narrow.gguf \
        out.gguf Q4_K_M
done
"$ON_TERMINAL" 80 "$GGUF" quantize --list >list
head -n 3 list
