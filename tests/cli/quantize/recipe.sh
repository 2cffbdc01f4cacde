try() {
    echo "\$ $*"
    "$GGUF" quantize "$@" 2>&1
    echo "status $?"
}
"$QUANTIZABLE"
try -q model.gguf from.gguf Q4_K_M --tensor-type blk.0=Q5_0
try --recipe-from from.gguf model.gguf a.gguf Q8_0
"$GGUF" diff from.gguf a.gguf
try --dry-run --recipe-from narrow.gguf model.gguf b.gguf Q8_0 | sed -n "1,5p"
try --recipe-from nowhere.gguf model.gguf b.gguf Q8_0
try --recipe-from imatrix.dat model.gguf b.gguf Q8_0
try --dry-run --recipe-from imatrix.gguf model.gguf b.gguf Q8_0 | sed -n "1,2p"
try --force --recipe-from from.gguf model.gguf from.gguf Q8_0
