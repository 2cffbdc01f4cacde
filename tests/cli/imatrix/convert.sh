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
# What a .dat cannot say, and what is no count.
for file in negative mixed fraction past many; do
    try convert $file.gguf $file.dat
    try convert -q $file.gguf $file-too.gguf
done
try show fraction.dat
try convert fraction.gguf fraction-too.gguf --force
try merge both.gguf negative.gguf mixed.gguf fraction.gguf
try check fraction.gguf
ls
