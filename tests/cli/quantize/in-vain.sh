# Options that do nothing: a warning, or an error with --strict.
try() {
    echo "\$ $*"
    status=0
    "$GGUF" quantize "$@" >out 2>err || status=$?
    cat err
    [ $status -eq 0 ] || echo "status $status"
}
"$QUANTIZABLE"
for strict in "" --strict; do
    try $strict model.gguf --dry-run Q4_0 --tensor-type nowhere=Q8_0
    try $strict model.gguf --dry-run Q4_0 --tensor-type norm=Q8_0
    try $strict model.gguf --dry-run Q4_0 --tensor-type output_norm=Q8_0
    try $strict model.gguf --dry-run Q4_0 --tensor-type attn=Q8_0 \
        --tensor-type attn_k=F16 --tensor-type attn_[nv]=F16
    try $strict model.gguf --dry-run Q4_0 --output-type Q8_0 --leave-output
    try $strict tied.gguf --dry-run Q4_0 --leave-output
    try $strict tied.gguf --dry-run Q4_0 --output-type Q8_0 --pure
    try $strict model.gguf --dry-run Q4_0 --recipe-from imatrix.gguf
    try $strict model.gguf --dry-run Q4_0 --imatrix imatrix.gguf \
        --include-weights attn --include-weights nowhere \
        --exclude-weights "blk.9*"
    try $strict model.gguf --dry-run Q4_0 --imatrix imatrix.gguf \
        --exclude-weights blk
    try $strict model.gguf --dry-run Q4_0 --prune-layers 7
done
echo "--- not in vain"
try --strict model.gguf --dry-run Q4_0 --tensor-type attn=Q8_0 --leave-output \
    --imatrix imatrix.gguf --include-weights attn --exclude-weights "blk.1*"
