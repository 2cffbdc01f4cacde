# needs: shared
"$ON_TERMINAL" 80 "$GGUF" diff --color never \
    "$SHARED/data/vocab/ggml-vocab-llama-spm.gguf" \
    "$SHARED/data/vocab/ggml-vocab-phi-3.gguf"
