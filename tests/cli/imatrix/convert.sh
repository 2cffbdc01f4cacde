try() {
    echo "\$ $*"
    "$GGUF" imatrix "$@" 2>&1
    echo "status $?"
}
"$IMPORTANCES"
try convert old.dat old.gguf
try show old.gguf
try convert old.gguf again.dat
cmp old.dat again.dat && echo the same
try convert code.gguf same.gguf
"$GGUF" diff code.gguf same.gguf
try convert prose.gguf prose.dat
try show prose.dat
try convert calls.dat calls.gguf
try convert other.gguf -o other.dat
try convert --to dat other.gguf other.imatrix
cmp other.dat other.imatrix
try convert --to gguf old.dat gguf.dat
try convert --chunk-size 100 old.dat hundred.gguf
try show hundred.gguf
try convert long-name.dat long-name.gguf
try convert bare.gguf bare-too.gguf
try convert hostile.gguf -
try convert prose.gguf
try convert prose.gguf a b
try convert - stdin.gguf <old.dat
cmp old.gguf stdin.gguf
ls
