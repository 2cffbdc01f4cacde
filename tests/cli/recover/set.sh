# needs: leases
# Of a set each shard is edited alone, and has a journal of its own.
cp -r "$FILES/odd/d26-normal" shards
second=shards/m-00002-of-00003.gguf
cp $second before
"$GGUF" rename -q --tensor --in-place shards blk.1.b.weight blk.1.c.weight
cmp -s $second before && echo unchanged
"$JOURNAL" before $second
for file in shards shards/m-00001-of-00003.gguf $second; do
    "$GGUF" tensors "$file" 2>&1
    echo "status $?"
done
"$GGUF" tensors --single shards/m-00001-of-00003.gguf
for file in shards shards/m-00001-of-00003.gguf $second; do
    "$GGUF" recover --dry-run "$file"
    echo "status $?"
done
"$GGUF" recover --dry-run --json shards/m-00003-of-00003.gguf
"$GGUF" recover shards/m-00001-of-00003.gguf
cmp $second before
"$GGUF" recover --json shards/m-00001-of-00003.gguf
"$GGUF" rename -q --tensor --in-place shards blk.1.b.weight blk.1.c.weight
"$JOURNAL" before $second
"$GGUF" rename --tensor shards blk.1.b.weight blk.1.d.weight
"$GGUF" rename -q --tensor shards blk.1.d.weight blk.1.b.weight
cmp $second before
ls -A shards
