try() {
    echo "\$ $*"
    "$GGUF" quantize "$@" 2>&1
    echo "status $?"
}
"$QUANTIZABLE"
list() {
    "$GGUF" tensors "$1" | awk "{ print \$1, \$(NF - 2) }"
    rm "$1"
}
try -q model.gguf a.gguf Q4_0 --tensor-type "ATTN_[kq]=q8_0" \
    --tensor-type "attn_q=Q6_K" --tensor-type "blk\\.1\\..*down=F16"
list a.gguf
echo "ffn_up=Q5_K  ffn_gate=Q6_K
attn_k=F16" >types
try -q model.gguf a.gguf Q4_0 --tensor-type attn_k=Q8_0 --tensor-type-file types
list a.gguf
try -q model.gguf a.gguf Q4_0 --output-type F16 --embedding-type q5_1 --pure
list a.gguf
try -q model.gguf a.gguf Q4_0 --leave-output
list a.gguf | grep output.w
: >none
try -q model.gguf a.gguf Q4_0 --tensor-type-file none
rm a.gguf
try model.gguf a.gguf F16 --tensor-type attn_k=Q8_0
