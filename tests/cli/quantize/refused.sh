try() {
    echo "\$ $*"
    "$GGUF" quantize "$@" 2>&1
    echo "status $?"
}
"$QUANTIZABLE"
echo there >out.gguf
echo there >OUT
try --dry-run model.gguf out.gguf Q4_0 | tail -n 6
try --dry-run --force model.gguf out.gguf Q4_0 | tail -n 3
"$GGUF" quantize --dry-run --json model.gguf out.gguf Q4_0 2>err |
    jq -c ".n_changed, .written, .files"
cat err
try --dry-run model.gguf Q4_0 | tail -n 6
try --dry-run --keep-split set-00001-of-00002.gguf Q4_0 | tail -n 5
try --dry-run --error model.gguf Q4_0 | tail -n 2
try --dry-run --force model.gguf model.gguf Q4_0
try --dry-run model.gguf Q4_KM
cat out.gguf OUT
