try() {
    echo "\$ $*"
    "$GGUF" imatrix show "$@" 2>&1
    echo "status $?"
}
"$IMPORTANCES"
try prose.gguf
try old.dat
try --sort mean -r prose.gguf
try --sort name code.gguf
try --sort columns prose.gguf '*attn*'
try prose.gguf '*ffn_up*'
try other.gguf
try bare.gguf
try hostile.gguf
try nan.gguf
try --sort max nan.gguf
try - <old.dat
head -c 200 old.dat | try -
