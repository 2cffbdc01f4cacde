# A shard may have exactly as many bytes as it may; not one less.
for size in 576 575; do
    "$GGUF" split --dry-run -q --max-size $size "$FILES/odd/d26-normal" part
    "$GGUF" split --dry-run --max-size $size "$FILES/odd/d26-normal" part
done
