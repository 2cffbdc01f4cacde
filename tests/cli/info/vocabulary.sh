# needs: shared
"$GGUF" info "$SHARED/data/vocab/ggml-vocab-llama-spm.gguf"
