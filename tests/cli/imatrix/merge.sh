try() {
    echo "\$ $*"
    "$GGUF" imatrix "$@" 2>&1
    echo "status $?"
}
"$IMPORTANCES"
try merge all.gguf prose.gguf code.gguf
try show all.gguf
try merge -o all.dat prose.gguf code.gguf old.dat
try show all.dat
try merge old.gguf old.dat prose.gguf
try show old.gguf
try merge --chunk-size 2 two.gguf code.gguf old.dat
try show two.gguf
try merge four.gguf code.gguf long.gguf
try show four.gguf
try merge spread.gguf single.gguf experts.gguf
try show spread.gguf
"$GGUF" imatrix convert -q code.gguf one.gguf
"$GGUF" imatrix merge -q same.gguf code.gguf
cmp one.gguf same.gguf
