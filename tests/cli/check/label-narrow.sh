# The label of a model whose rows are too narrow for the type that it names.
"$QUANTIZABLE"
for model in narrow odd model; do
    for type in Q2_K Q3_K_L Q4_K_S Q4_K_M Q5_K_M Q6_K IQ4_XS TQ1_0 Q8_0 \
        MXFP4_MOE; do
        "$GGUF" quantize -q --force $model.gguf out.gguf $type
        "$GGUF" check out.gguf >said
        ! grep file-type-label said || echo "$model as $type"
    done
done
echo "--- wrong"
"$GGUF" quantize -q --force --pure narrow.gguf out.gguf Q4_1
"$GGUF" set -q out.gguf general.file_type=Q4_K_M
"$GGUF" check out.gguf | grep -A 1 file-type-label
