# Importances that spoil a tensor are told before any work; where a block cannot
# be held because of them, they are blamed, and not its numbers.
"$QUANTIZABLE"
for odd in large zero negative dead tiny; do
    for type in Q4_K Q4_1 IQ2_S Q8_0; do
        echo "\$ $odd $type"
        "$GGUF" quantize -q --force --imatrix by-$odd.gguf model.gguf a.gguf Q8_0 \
            --tensor-type ffn_up=$type 2>&1
        echo "status $?"
        "$GGUF" quantize --dry-run --imatrix by-$odd.gguf model.gguf Q8_0 \
            --tensor-type ffn_up=$type 2>&1 | grep warning
    done
done
"$GGUF" quantize --dry-run --imatrix by-zero.gguf model.gguf a.gguf Q4_0 2>&1 | head -n 1
for odd in large zero negative dead tiny; do
    "$GGUF" imatrix check by-$odd.gguf
done
