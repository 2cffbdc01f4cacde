# Token embeddings that are the output, too.
try() {
    echo "\$ $*"
    "$GGUF" quantize "$@" 2>&1
    "$GGUF" tensors out.gguf token_embd.weight
    rm -f out.gguf
}
"$QUANTIZABLE"
try -q tied.gguf out.gguf Q4_0
try tied.gguf out.gguf Q4_0 --embedding-type Q5_0 | sed "/^FILE/,/^written/d"
try tied.gguf out.gguf Q4_0 --output-type Q8_0 | sed "/^FILE/,/^written/d"
try tied.gguf out.gguf Q4_0 --output-type Q8_0 --embedding-type Q5_0 |
    sed "/^FILE/,/^written/d"
try tied.gguf out.gguf Q4_0 --leave-output | sed "/^FILE/,/^written/d"
try tied.gguf out.gguf Q4_0 --embedding-type F32 | sed "/^FILE/,/^written/d"
