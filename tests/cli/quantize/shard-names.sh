# An OUT that is named as a shard: of the set that is written, or of none.
try() {
    echo "\$ $*"
    status=0
    "$GGUF" quantize "$@" >said 2>&1 || status=$?
    grep -v -e "^FILE" -e "^ " said
    echo "status $status"
}
"$QUANTIZABLE"
try --keep-split set-00001-of-00002.gguf a-00001-of-00002.gguf Q4_0
try --keep-split set-00001-of-00002.gguf b-00002-of-00002.gguf Q4_0
try --keep-split set-00001-of-00002.gguf c Q4_0
"$GGUF" diff a-00001-of-00002.gguf c-00001-of-00002.gguf
try --keep-split set-00001-of-00002.gguf d-00001-of-00003.gguf Q4_0
try --keep-split --dry-run set-00001-of-00002.gguf d-00001-of-00003.gguf Q4_0
try set-00001-of-00002.gguf e-00001-of-00002.gguf Q4_0
try --keep-split model.gguf f-00001-of-00002.gguf Q4_0
"$GGUF" info f-00001-of-00002.gguf | sed -n 1p
ls [a-f]-*
