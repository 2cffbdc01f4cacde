try() {
    echo "\$ $*"
    "$GGUF" quantize "$@" 2>&1
    echo "status $?"
}
"$QUANTIZABLE"
try unknown.gguf a.gguf Q4_K_M
try --pure unknown.gguf b.gguf Q4_K_M | tail -n 2
try no-layers.gguf c.gguf Q4_K_M
try --pure no-layers.gguf d.gguf Q8_0 | tail -n 2
try "$FILES/good/empty.gguf" e.gguf Q4_0
try "$FILES/odd/d20-opaque-last.gguf" f.gguf Q4_0
try "$FILES/good/one-tensor.gguf" g.gguf Q4_0
find . -name "[a-g].*" | sort
