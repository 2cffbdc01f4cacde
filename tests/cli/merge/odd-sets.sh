# Sets of other spellings, versions, byte orders and alignments; and broken ones.
for set in alignments arch-keys big empty-first old-keys opaque second-u32 \
    tensor-count tensor-twice u64 unnumbered versions \
    data-cut header-cut missing missing-first name-count other-export past-no \
    same-no; do
    echo "$set"
    for shard in "$FILES/odd/d26-$set"/*.gguf; do
        "$GGUF" merge "$shard" "$set.gguf"
        break
    done 2>&1
done | sed 's/  *$//'
"$GGUF" keys versions.gguf
ls -a
