try() {
    echo "\$ $*"
    "$GGUF" quantize "$@" 2>&1
    echo "status $?"
}
"$QUANTIZABLE"
try -q model.gguf a.gguf Q4_0 --report a.json
try --json --force model.gguf a.gguf Q4_0 >b
sed -n 2p b | cmp - a.json
try model.gguf b.gguf Q4_0 --report a.json
try -q model.gguf b.gguf Q4_0 --report a.json --force
try model.gguf c.gguf Q4_0 --report c.gguf
for input in model.gguf imatrix.gguf a.gguf types; do
    echo attn_k=Q8_0 >types
    try --force model.gguf c.gguf Q4_0 --report $input --imatrix imatrix.gguf \
        --recipe-from a.gguf --tensor-type-file types
done
try model.gguf c.gguf Q4_0 --report no/where.json
try --dry-run -q model.gguf c.gguf Q4_0 --report c.json
try --force model.gguf a.gguf Q4_0 --report ./a.gguf
find . -name "c.*"
"$GGUF" check a.gguf | tail -n 1
