try() {
    echo "\$ $*"
    "$GGUF" imatrix check "$@" 2>&1
    echo "status $?"
}
"$IMPORTANCES"
"$QUANTIZABLE"
try imatrix.gguf model.gguf
try imatrix.dat set-00002-of-00002.gguf
try some.gguf model.gguf
try -q some.gguf model.gguf
try --max 2 other.gguf model.gguf
try bad.gguf model.gguf
try imatrix.gguf quantized.gguf
try imatrix.gguf odd.gguf
try model.gguf imatrix.gguf
try model.gguf imatrix.dat
try imatrix.gguf nowhere
try imatrix.gguf imatrix.dat
try imatrix.gguf "$FILES/hostile/e41-name-twice.gguf"
try --max 1 experts.gguf model.gguf
