# Keys of --override-kv that are probably a mistake.
try() {
    echo "\$ $*"
    "$GGUF" quantize --dry-run "$1" Q8_0 --override-kv "$2" >out 2>err
    cat err
    grep -q "^would be written" out || echo "not done"
}
"$QUANTIZABLE"
for key in llama.block_cuont=int:2 lama.block_count=int:2 \
    general.nam=str:x general.file_typ=int:7 block_count=int:2 \
    llama.attention.head_cont=int:4 general.descriptions=str:x \
    general.name=int:5 llama.block_count=str:2 llama.context_length=float:5 \
    llama.attention.layer_norm_rms_epsilon=int:1 llama.rope.freq_base=int:10000 \
    general.author=bool:true tokenizer.ggml.add_bos_token=int:1; do
    try model.gguf $key
done
try arrays.gguf llama.attention.head_count=int:4
echo "--- no doubt"
for key in llama.block_count=int:2 general.name=str:x general.author=str:x \
    llama.rope.freq_base=float:10000 tokenizer.ggml.add_bos_token=bool:true \
    my.own=int:1 llama.attention.key_length=int:64; do
    try model.gguf $key
done
