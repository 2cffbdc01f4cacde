try() {
    echo "\$ $*"
    "$GGUF" quantize "$@" 2>&1
    echo "status $?"
}
"$QUANTIZABLE"
try quantized.gguf a.gguf Q4_K_M
try quantized.gguf a.gguf Q4_K_M --allow-requantize
"$GGUF" hash a.gguf
# What stays what it is does not count.
try quantized.gguf b.gguf Q8_0 --tensor-type attn_k=Q4_0 | tail -n 2
# More than are named.
try -q deep.gguf c.gguf Q8_0
try c.gguf d.gguf Q4_0 --tensor-type .=Q5_0
find . -name "d.*"
