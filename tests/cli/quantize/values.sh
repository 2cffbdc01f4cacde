try() {
    echo "\$ $*"
    "$GGUF" quantize "$@" 2>&1
    echo "status $?"
}
"$QUANTIZABLE"
echo before >out.gguf
for name in nan infinite large; do
    try --force $name.gguf out.gguf Q4_0
    try --force --threads 1 $name.gguf out.gguf F16
done
cat out.gguf
find . -name ".?*"
