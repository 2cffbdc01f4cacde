# Suffixes are binary: no other would give a power of two.
for align in 4096 4K 4Ki; do
    "$GGUF" copy -q --align $align "$FILES/worked/worked-written.gguf" $align
done
cmp 4096 4K && cmp 4096 4Ki
"$GGUF" copy --align 1M --dry-run 4K big.gguf | head -n 2
