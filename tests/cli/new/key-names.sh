# Keys that are misspelt, of bad form, and a file type by its name.
try() {
    echo "{\"keys\": {$1}}" >s.json
    "$GGUF" new -q --force m.gguf --spec s.json
    rm -f m.gguf
    "$GGUF" new m.gguf --spec s.json >out 2>&1
    echo "$?"
    grep -v '^FILE\|^m.gguf\|^written' out
}
try '"general.architectxre": "llama", "general.nam": "x"'
try '"general.architecture": "llama", "llama.contex_length": 1'
try '"tokenizer.ggml.bos_tokn_id": 1'
try '"my.own_key": 1, "llama.my_key": 2, "general.own": 3, "general.block_cout": 4'
try '"Bad Key!": 1'
try '"a..b": 1'
try '"my-key": 1'
try '"command-r.block_count": 1'
for type in '"Q4_K_M"' '"mostly_q8_0"' '{"type": "UINT32", "value": "F16"}' 7; do
    try "\"general.file_type\": $type"
    "$GGUF" get m.gguf general.file_type
done
try '"general.file_type": "Q9"'
try '"general.file_types": "Q4_K_M"'
echo '{"general.file_type": "Q8_0"}' | "$GGUF" set --rewrite -q m.gguf --from-json -
"$GGUF" get m.gguf general.file_type
cp "$FILES/worked/worked-written.gguf" m.gguf
"$GGUF" set --rewrite --dry-run m.gguf general.descripxion=x llama.contex_length=1 llama.my_key=3
