try() {
    echo "\$ $*"
    "$GGUF" quantize "$@" 2>&1
    echo "status $?"
}
"$QUANTIZABLE"
try --imatrix imatrix.gguf model.gguf a.gguf Q4_K_M
"$GGUF" keys a.gguf "*imatrix*"
"$GGUF" hash a.gguf
try -q --imatrix imatrix.dat model.gguf b.gguf Q4_K_M
"$GGUF" diff a.gguf b.gguf | tail -n 4
try --imatrix some.gguf model.gguf c.gguf Q4_0
try --imatrix imatrix.gguf --include-weights attn_v --include-weights blk.1. \
    --exclude-weights "ffn_[ug]" model.gguf d.gguf Q4_0
"$GGUF" get d.gguf quantize.imatrix.entries_count
try --imatrix imatrix.gguf --include-weights nothing model.gguf e.gguf Q4_0
"$GGUF" keys e.gguf "*imatrix*"
try -q model.gguf f.gguf Q4_0
cmp e.gguf f.gguf
try --imatrix imatrix.gguf --include-weights output model.gguf g.gguf Q4_0
try --imatrix imatrix.gguf model.gguf h.gguf F16
