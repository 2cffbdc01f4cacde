try() {
    echo "\$ $*"
    "$GGUF" quantize "$@" 2>&1
    echo "status $?"
}
"$QUANTIZABLE"
cp model.gguf keep.gguf
for name in model.gguf ./model.gguf -; do
    try --force model.gguf $name Q4_0
done
ln -s model.gguf link.gguf
try --force model.gguf link.gguf Q4_0
try --force --imatrix imatrix.gguf model.gguf imatrix.gguf Q4_0
try model.gguf no/where.gguf Q4_0
try model.gguf "" Q4_0
try nowhere.gguf a.gguf Q4_0
try imatrix.dat a.gguf Q4_0
cmp model.gguf keep.gguf
"$GGUF" info imatrix.gguf | sed -n 2,3p
find . -name ".?*" -o -name "a.*"
