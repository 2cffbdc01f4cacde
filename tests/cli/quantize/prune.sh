try() {
    echo "\$ $*"
    "$GGUF" quantize "$@" 2>&1
    echo "status $?"
}
"$QUANTIZABLE"
try deep.gguf a.gguf Q4_K_M --prune-layers 2,1
"$GGUF" keys a.gguf "*block_count"
"$GGUF" hash a.gguf
"$GGUF" tensors a.gguf "*attn_q*"
try deep.gguf b.gguf Q4_K_M --prune-layers 1 --dry-run | tail -n 5
try deep.gguf b.gguf Q4_K_M --prune-layers 1 --dry-run --json |
    tr '{' '\n' | grep -e '"blk.[13].attn_v' -e '^"layers'
try -q model.gguf c.gguf Q8_0 --imatrix imatrix.gguf --prune-layers 0 \
    --tensor-type "blk.0=Q4_0" --recipe-from a.gguf
"$GGUF" keys c.gguf "*" | tail -n 6
"$GGUF" tensors c.gguf "*attn_[qk].*"
try -q arrays.gguf d.gguf Q8_0 --prune-layers 1,3
"$GGUF" keys d.gguf "llama.*"
try -q arrays.gguf d.gguf Q8_0 --prune-layers 3 --force \
    --override-kv llama.block_count=int:9
"$GGUF" keys d.gguf "llama.*count*"
"$GGUF" split -q deep.gguf s --max-tensors 12
try s-00001-of-00003.gguf out Q8_0 --keep-split --prune-layers 2,3
echo "--- refused"
for layers in "" "," "1," ,1 1,,2 -1 1-2 x "1 2" 1,x 1,1 4 2,9 0,1,2,3 \
    99999999999999999999; do
    try deep.gguf e.gguf Q8_0 --prune-layers "$layers"
done
try prefixed.gguf e.gguf Q8_0 --prune-layers 1
try "$FILES/good/empty.gguf" e.gguf F16 --prune-layers 1
find . -name "e.*"
