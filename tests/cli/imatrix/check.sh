try() {
    echo "\$ $*"
    "$GGUF" imatrix check "$@" 2>&1
    echo "status $?"
}
"$IMPORTANCES"
head -c 50 old.dat >short.dat
try prose.gguf
try old.dat
try -q prose.gguf
try broken.gguf
try --max 1 -q broken.gguf
try short.dat
try hostile.gguf
try nowhere
try - <short.dat
head -c 200 old.dat | try -
try
try a b c
try --rules prose.gguf
