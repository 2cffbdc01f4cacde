try() {
    echo "\$ $*"
    "$GGUF" quantize "$@" 2>&1
    echo "status $?"
}
"$QUANTIZABLE"
try model.gguf out.gguf Q4_K_M
try model.gguf out.gguf Q4_K_M
try --force model.gguf out.gguf 15 --json | cut -c 1-200
try -q model.gguf -o same.gguf q4_k
cmp out.gguf same.gguf
"$GGUF" keys out.gguf
"$GGUF" tensors out.gguf
"$GGUF" hash --algo sha256 out.gguf
"$GGUF" check out.gguf | tail -n 1
try -v --pure model.gguf pure.gguf Q8_0
try - from-pipe.gguf Q4_K_M <model.gguf
cmp out.gguf from-pipe.gguf
