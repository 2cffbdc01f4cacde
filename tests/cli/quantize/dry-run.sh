"$QUANTIZABLE"
"$GGUF" quantize --dry-run model.gguf out.gguf Q4_K_M
"$GGUF" quantize --dry-run narrow.gguf out.gguf q4_k_s
"$GGUF" quantize --dry-run --imatrix some.gguf model.gguf out.gguf Q4_0 |
    tail -n 5
"$GGUF" quantize --dry-run --json --imatrix some.gguf model.gguf -o out.gguf 14 \
    --tensor-type attn_q=q8_0
"$GGUF" quantize --dry-run --json narrow.gguf out.gguf Q4_K | cut -c 1-600
"$GGUF" quantize --dry-run -q model.gguf out.gguf Q4_0
"$GGUF" quantize --dry-run model.gguf IQ2_XXS 2>/dev/null
echo "status $?"
"$GGUF" quantize --dry-run -q model.gguf IQ2_XXS 2>/dev/null
echo "status $?"
find . -name "out*"
