# What each type makes of one model.
"$QUANTIZABLE"
for type in F32 F16 BF16 Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q2_K Q3_K_S Q3_K_M Q3_K_L \
    Q4_K_S Q4_K_M Q5_K_S Q5_K_M Q6_K IQ4_NL IQ3_S IQ3_M IQ4_XS \
    TQ1_0 TQ2_0 MXFP4_MOE Q1_0 Q2_0; do
    "$GGUF" quantize model.gguf $type.gguf $type | tail -n 1
    "$GGUF" hash $type.gguf
done
for type in MXFP4 NVFP4; do # no model is all of these
    "$GGUF" quantize --tensor-type ".=$type" model.gguf $type.gguf Q8_0 |
        tail -n 1
    "$GGUF" hash $type.gguf
done
"$GGUF" quantize --imatrix imatrix.gguf model.gguf Q2_K_S.gguf Q2_K_S
for type in IQ2_XXS IQ2_XS IQ3_XS IQ3_XXS IQ1_S IQ2_S IQ2_M IQ1_M; do
    "$GGUF" quantize --imatrix imatrix.gguf model.gguf $type.gguf $type |
        tail -n 1
    "$GGUF" hash $type.gguf
done
