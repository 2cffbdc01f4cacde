try() {
    echo "\$ $*"
    "$GGUF" quantize "$@" 2>&1
    echo "status $?"
}
"$QUANTIZABLE"
try -q --imatrix imatrix.gguf model.gguf a.gguf Q8_0 \
    --override-kv general.name=str:other --override-kv new.int=int:4294967295 \
    --override-kv new.float=float:0.1 --override-kv new.bool=bool:true \
    --override-kv general.file_type=int:99
"$GGUF" keys a.gguf
"$GGUF" keys --json a.gguf | cut -c 1-60
for key in a a= =int:1 a=int a=int:-1 a=int:4294967296 a=float:x a=bool:1 \
    A=int:1 split.no=int:1 general.alignment=int:64 a=u8:1; do
    try model.gguf b.gguf Q8_0 --override-kv $key
done
try -q model.gguf c.gguf Q8_0 --override-kv A=str: --force
"$GGUF" keys c.gguf A
try model.gguf b.gguf Q4_K_M --override-kv llama.block_count=int:0
"$GGUF" quantize --dry-run --json model.gguf b.gguf Q4_K_S |
    jq -c ".tensors[] | select(.name == \"blk.1.ffn_down.weight\") | .rule"
"$GGUF" quantize --dry-run --json model.gguf b.gguf Q4_K_S \
    --override-kv llama.block_count=int:64 |
    jq -c ".tensors[] | select(.name == \"blk.1.ffn_down.weight\") | .rule"
find . -name "b.*"
# Text that is not UTF-8 is told; a name is cut between two characters.
bad=$(printf 'a\377')
cp imatrix.gguf "$bad"
for quiet in "" -q; do
    # shellcheck disable=SC2086 # nothing, or a word
    "$GGUF" quantize --force $quiet model.gguf d.gguf Q8_0 --imatrix "$bad" \
        --override-kv "general.name=str:$bad" 2>&1 | head -n 2
done
name=$(printf 'x%.0s' $(seq 126))
for end in é ab €; do
    cp imatrix.gguf "./$name$end"
    "$GGUF" quantize -q --force --imatrix "$name$end" model.gguf f.gguf Q8_0
    "$GGUF" get f.gguf quantize.imatrix.file | sed "s/x*/x/"
done
