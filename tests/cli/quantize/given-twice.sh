try() {
    echo "\$ $*"
    "$GGUF" "$@" 2>&1
    echo "status $?"
}
"$QUANTIZABLE"
try quantize --imatrix imatrix.gguf model.gguf a.gguf Q4_0 --imatrix some.gguf
try quantize --prune-layers 1 model.gguf a.gguf Q4_0 --prune-layers 0
try quantize -o a.gguf model.gguf Q4_0 -o b.gguf
try --type-table a quantize model.gguf a.gguf Q4_0 --type-table b
find . -name "[ab].*"
