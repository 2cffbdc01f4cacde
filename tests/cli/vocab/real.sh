# needs: shared
for name in gpt-2 llama-spm bert-bge; do
    "$GGUF" vocab --special "$SHARED/data/vocab/ggml-vocab-$name.gguf"
done
