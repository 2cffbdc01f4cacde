try() {
    echo "\$ $*"
    "$GGUF" imatrix merge "$@" 2>&1
    echo "status $?"
}
"$IMPORTANCES"
"$QUANTIZABLE"
head -c 50 old.dat >short.dat
echo kept >there.gguf
try out.gguf prose.gguf wide.gguf
try out.gguf experts.gguf prose.gguf
try out.gguf experts.gguf single.gguf
try out.gguf huge.gguf huge.gguf
try out.gguf prose.gguf short.dat
try out.gguf bad.gguf
try out.gguf nowhere
try out.gguf model.gguf
try there.gguf prose.gguf code.gguf
try prose.gguf prose.gguf code.gguf
try --force prose.gguf prose.gguf code.gguf
try code.gguf prose.gguf
try old.dat prose.gguf code.gguf
try nowhere/out.gguf prose.gguf
try out.gguf
try -o out.gguf
try - prose.gguf
try --chunk-size 0 out.gguf prose.gguf
try --chunk-size 2147483648 out.gguf prose.gguf
ls out* 2>&1
cat there.gguf
