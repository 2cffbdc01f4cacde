cp -r "$FILES/odd/d26-normal" shards
"$GGUF" rm --rewrite --tensor shards blk.1.a.weight
"$GGUF" keys shards 'split.*'
for shard in shards/*; do
    "$GGUF" get --single "$shard" split.tensors.count
done
"$GGUF" check -q --profile spec shards >said || cat said
"$GGUF" rm --rewrite shards general.name
"$GGUF" rm --rewrite shards split.no
echo $?
