# needs: shared
for name in llama-spm gpt-2 bert-bge phi-3; do
    "$GGUF" dump "$SHARED/data/vocab/ggml-vocab-$name.gguf"
done
