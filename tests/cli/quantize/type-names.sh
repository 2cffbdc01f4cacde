# What was meant by words that name no type.
try() {
    echo "\$ $*"
    "$GGUF" quantize "$@" 2>&1 | sed -n 1p
}
"$QUANTIZABLE"
for type in q4km Q4-K-M q4_k_l Q4_K_XL Q5 q4 Q8 q2 Q4KS IQ4_KS iq3 TQ1 MXFP4 \
    fp16 fp8 int8 Q4_0_4_4 Copy; do
    try model.gguf out.gguf $type
done
for type in q4_k_m Q4_KM Q8 q9 Q4K Q8_K nothing; do
    try model.gguf out.gguf Q4_0 --output-type $type
    try model.gguf out.gguf Q4_0 --tensor-type "attn_k=$type"
done
try model.gguf out.gguf Q4_0 --embedding-type Q3_K_L
echo "ffn_up=Q5_K_M" >types
try model.gguf out.gguf Q4_0 --tensor-type-file types
find . -name "out*"
