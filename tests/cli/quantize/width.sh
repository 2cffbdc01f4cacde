try() {
    echo "\$ $*"
    "$GGUF" quantize "$@" 2>&1
    echo "status $?"
}
"$QUANTIZABLE"
try narrow.gguf a.gguf Q4_K_M -v
try --no-fallback narrow.gguf b.gguf Q4_K_M
try --no-fallback narrow.gguf e.gguf Q8_0 | tail -n 1
try odd.gguf c.gguf Q4_K_M
try --no-fallback odd.gguf d.gguf Q4_0
"$GGUF" hash a.gguf
"$GGUF" hash c.gguf
find . -name "[bd].*"
