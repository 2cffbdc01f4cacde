try() {
    echo "\$ $*"
    "$GGUF" quantize "$@" 2>&1
    echo "status $?"
}
"$QUANTIZABLE"
try model.gguf a.gguf Q4_0 --tensor-type "nothing=Q8_0" --dry-run | sed -n "1,2p"
try model.gguf a.gguf Q4_0 --tensor-type "nothing=Q8_0" --tensor-type x=F16 \
    --strict
try model.gguf b.gguf F16 --tensor-type attn_k=Q8_0 --dry-run | sed -n "1,2p"
for override in "attn_k" "=Q8_0" "attn_k=" "attn_k=Q9" "attn_k=Q8_K" "(=Q8_0" \
    "attn_k=I8" "(.+)*(.+)*(.+)*[#%]=Q8_0"; do
    try model.gguf a.gguf Q4_0 --tensor-type "$override"
done
try model.gguf a.gguf Q4_0 --output-type Q9
try model.gguf a.gguf Q4_0 --embedding-type Q4_K_M
try model.gguf a.gguf Q4_0 --tensor-type-file nowhere
printf "attn_k=Q8_0\0" >nul
try model.gguf a.gguf Q4_0 --tensor-type-file nul
echo "attn_k=Q8_0 (.+)*(.+)*(.+)*[#%]=Q8_0" >endless
try model.gguf a.gguf Q4_0 --tensor-type-file endless
echo "attn_k=Q8_0 attn_q" >half
try model.gguf a.gguf Q4_0 --tensor-type-file half
try model.gguf a.gguf Q4_0 --tensor-type-file .
find . -name "a.*"
