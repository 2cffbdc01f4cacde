# Operands as of llama-quantize, and a TYPE where a file is named.
try() {
    echo "\$ $*"
    status=0
    "$GGUF" quantize "$@" >said 2>&1 || status=$?
    sed -n 1p said
    echo "status $status"
    rm -f out.gguf Q4_K_M
}
"$QUANTIZABLE"
try model.gguf out.gguf Q4_K_M 8
try model.gguf out.gguf Q4_K_M more
try model.gguf out.gguf Q4_K_M 8 more
try model.gguf Q4_K_M 8
try model.gguf q4_k 15
try model.gguf Q4_K_M Q4KM
try model.gguf Q4_K_M model.gguf
try model.gguf -o Q4_K_M 8
try model.gguf -o Q4_K_M
try Q4_K_M model.gguf out.gguf
try Q4_K_M model.gguf
try model.gguf Q4_K_M 8 --dry-run
try model.gguf 15 8
find . -name "[qQ]4_[kK]*" -o -name 15
echo "--- understood"
try model.gguf Q4_K_M Q4_K_M
try model.gguf ./Q4_K_M 8
try model.gguf out.gguf 15
