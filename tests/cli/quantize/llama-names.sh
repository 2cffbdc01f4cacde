# The options of llama-quantize by its names.
try() {
    echo "\$ $*"
    "$GGUF" quantize "$@" 2>&1
    echo "status $?"
}
"$QUANTIZABLE"
try -q --allow-requantize --pure --imatrix imatrix.dat \
    --include-weights attn --include-weights ffn --exclude-weights ffn_up \
    --output-tensor-type f16 --token-embedding-type q5_1 \
    --tensor-type attn_k=q8_0 --prune-layers 1 \
    --override-kv general.name=str:other model.gguf a.gguf Q4_0
"$GGUF" tensors a.gguf "*[td].weight"
try -q --leave-output-tensor --keep-split set-00001-of-00002.gguf b q4_k_m
"$GGUF" tensors b-00001-of-00002.gguf "output.*"
try --dry-run --leave-output-tensor model.gguf Q4_0 | tail -n 2
try --output-tensor-type F16 --output-type F16 model.gguf c.gguf Q4_0
try --output-tensor-typ F16 model.gguf c.gguf Q4_0
try --token-embd-type F16 model.gguf c.gguf Q4_0
try --leave-output-tensors model.gguf c.gguf Q4_0
find . -name "c.*"
