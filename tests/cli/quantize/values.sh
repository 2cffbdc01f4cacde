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
try --force scale.gguf out.gguf Q8_0
cat out.gguf
find . -name ".?*"
