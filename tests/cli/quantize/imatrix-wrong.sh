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
find . -name "a.*"
