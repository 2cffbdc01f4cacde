# The report is no second name of the model, nor of a temporary of it: found
# before any work. Nothing is written then.
"$QUANTIZABLE"
try() {
    echo "\$ $*"
    "$GGUF" quantize -q --force "$@" 2>&1
    echo "status $?"
}
mkdir sub
ln -s ../sub sub/again
ln -s out.gguf link
ln -s sub/out.gguf far
try model.gguf out.gguf Q4_0 --report ./out.gguf
try model.gguf sub/out.gguf Q4_0 --report sub/again/out.gguf
try model.gguf "$PWD/out.gguf" Q4_0 --report out.gguf | sed "s|$PWD|PWD|"
try model.gguf out.gguf Q4_0 --report link
try model.gguf link Q4_0 --report out.gguf
try model.gguf sub/out.gguf Q4_0 --report far
try set-00001-of-00002.gguf out Q4_0 --keep-split \
    --report ./out-00002-of-00002.gguf
for name in tmp old journal; do
    try model.gguf out.gguf Q4_0 --report .out.gguf.ggk-$name
    try model.gguf .r.json.ggk-$name Q4_0 --report r.json
done
try model.gguf out.gguf Q4_0 --report -
try model.gguf out.gguf Q4_0 --report ""
try --dry-run model.gguf out.gguf Q4_0 --report -
find . -name 'out*' -o -name '*.ggk-*' -o -name '-*' -o -name '*.json'
ls sub
echo old >out.gguf
ln out.gguf hard
try model.gguf out.gguf Q4_0 --report hard
cat out.gguf
try model.gguf out.gguf Q4_0 --report ./-
head -c 1 ./-
"$GGUF" copy -q model.gguf .x.ggk-tmp
