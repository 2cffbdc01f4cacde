# needs: leases
# What is changed is made what it was first.
before=$FILES/worked/worked-written.gguf
interrupted() {
    rm -f m.gguf
    cp half.gguf m.gguf
    "$JOURNAL" "$before" m.gguf
}
cp "$before" half.gguf
"$GGUF" set -q half.gguf general.name=java-WRITTEN
for how in --in-place --rewrite --backup; do
    interrupted
    "$GGUF" set -q $how m.gguf llama.embedding_length=65
    "$GGUF" get m.gguf general.name
    "$GGUF" get m.gguf llama.embedding_length
done
cmp m.gguf.bak "$before"
interrupted
"$GGUF" rm m.gguf --in-place no.such
echo $?
cmp m.gguf "$before"
interrupted
"$GGUF" rename -q m.gguf general.name general.title
"$GGUF" get m.gguf general.title
interrupted
"$GGUF" copy -q --in-place m.gguf
cmp m.gguf "$before"
interrupted
"$GGUF" fix -q --in-place m.gguf
"$GGUF" get m.gguf general.name
ls -A
