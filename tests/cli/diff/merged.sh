# A set is what it is merged into, whatever spelling its keys have.
for set in old-keys arch-keys u64; do
    "$GGUF" merge -q "$FILES/odd/d26-$set/m-00001-of-00002.gguf" "$set.gguf"
    "$GGUF" diff "$FILES/odd/d26-$set" "$set.gguf"
    "$GGUF" diff "$set.gguf" "$FILES/odd/d26-$set"
done
