# Suffixes are binary: no other would give a power of two.
for align in 4096 4K 4Ki; do
    "$GGUF" copy -q --align $align "$FILES/worked/worked-written.gguf" $align
done
cmp 4096 4K && cmp 4096 4Ki
"$GGUF" copy --align 1M --dry-run 4K big.gguf | head -n 2
# With the default there is no key, as if there had never been one.
"$GGUF" copy -q --align 32 4K back.gguf
cmp back.gguf "$FILES/worked/worked-written.gguf"
"$GGUF" set --rewrite -q "$FILES/worked/worked-written.gguf" general.alignment=32 \
    -o explicit.gguf
"$GGUF" copy -q --align 32 explicit.gguf back.gguf --force
cmp back.gguf "$FILES/worked/worked-written.gguf"
"$GGUF" copy -q --align 32 --in-place explicit.gguf
cmp explicit.gguf "$FILES/worked/worked-written.gguf"
"$GGUF" copy -q --align 32 "$FILES/worked/worked-written.gguf" same.gguf
cmp same.gguf "$FILES/worked/worked-written.gguf"
