try() {
    echo "\$ $*"
    "$GGUF" quantize "$@" 2>&1
    echo "status $?"
}
"$QUANTIZABLE"
head -c 300 imatrix.gguf >short.gguf
head -c 99 imatrix.dat >short.dat
try --imatrix short.gguf model.gguf a.gguf Q4_0
try --imatrix short.dat model.gguf a.gguf Q4_0
try --imatrix bad.gguf model.gguf a.gguf Q4_0
try --imatrix other.gguf model.gguf a.gguf Q4_0
try --imatrix model.gguf model.gguf a.gguf Q4_0
try --imatrix nowhere model.gguf a.gguf Q4_0
try --imatrix . model.gguf a.gguf Q4_0
try --include-weights x model.gguf a.gguf Q4_0
try model.gguf a.gguf IQ2_XS
try --imatrix some.gguf model.gguf a.gguf Q2_K_S
try --imatrix imatrix.gguf --exclude-weights blk.1.ffn_down model.gguf a.gguf \
    IQ2_XS
try --imatrix imatrix.gguf --exclude-weights blk.1.ffn_down model.gguf a.gguf \
    IQ2_XS --tensor-type '^blk\.1\.ffn_down\.weight$=Q2_K' -q
try --imatrix some.gguf model.gguf a.gguf Q4_0 --tensor-type ffn_up=IQ2_S
try --imatrix imatrix.gguf --include-weights none model.gguf a.gguf IQ2_XS |
    grep -v F32
try --imatrix other.gguf --exclude-weights "attn*" model.gguf a.gguf IQ2_XS |
    grep -v F32
find . -name "a.*"
