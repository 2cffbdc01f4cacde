try() {
    echo "\$ $*"
    "$GGUF" quantize "$@" 2>&1
    echo "status $?"
}
"$QUANTIZABLE"
try
try model.gguf | grep -v "^ *[0-9]"
try model.gguf out.gguf | sed -n "1,5p"
try model.gguf Q4_K
try model.gguf out.gguf Q4_K -o other.gguf
for type in Q4_KM Q5 copy nothing 99 -1 "" 15x; do
    try model.gguf out.gguf -- "$type"
done
find . -name "out*"
