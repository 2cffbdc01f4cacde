try() {
    echo "\$ $*"
    "$GGUF" quantize "$@" 2>&1
    echo "status $?"
}
"$QUANTIZABLE"
try -q model.gguf one.gguf Q4_K_M
try set-00002-of-00002.gguf a.gguf Q4_K_M
cmp a.gguf one.gguf
try --keep-split set-00001-of-00002.gguf b.gguf Q4_K_M
"$GGUF" hash b-00001-of-00002.gguf
try --keep-split set-00001-of-00002.gguf b Q4_K_M
try --keep-split --dry-run --force set-00001-of-00002.gguf b Q4_0 | tail -n 5
try --keep-split set-00001-of-00002.gguf set Q4_K_M --force
try -q --keep-split model.gguf c.gguf Q4_K_M
"$GGUF" diff c.gguf one.gguf
try --single set-00001-of-00002.gguf d.gguf Q8_0
"$GGUF" keys --single d.gguf "*split*"
try -q --single set-00001-of-00002.gguf alone-00001-of-00002.gguf Q8_0
try -q --single set-00002-of-00002.gguf alone-00002-of-00002.gguf Q8_0
cp set-00002-of-00002.gguf alone-00002-of-00002.gguf
"$GGUF" merge alone-00001-of-00002.gguf whole.gguf
try --single set-00001-of-00002.gguf e.gguf Q8_0 --prune-layers 1
