# needs: shared
"$GGUF" diff "$SHARED/data/vocab/ggml-vocab-gpt-2.gguf" \
    "$SHARED/data/vocab/ggml-vocab-starcoder.gguf"
