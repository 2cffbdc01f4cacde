# What says which shard a file is, by every spelling; and what only looks so.
cp "$FILES/worked/worked-written.gguf" m.gguf
for key in split.no split.tensors.count general.split general.split_count \
    llama.split.no; do
    "$GGUF" set --rewrite m.gguf "$key=1" -o out.gguf
    echo $?
done
cmp m.gguf "$FILES/worked/worked-written.gguf"
"$GGUF" set --rewrite -q m.gguf --type UINT32 split.ratio=1 gemma.split.no=1
"$GGUF" get m.gguf split.ratio
