# needs: leases
# Where it lies: as long as before; longer, into the padding before the data;
# into free space, which takes up what gets shorter.
good=$FILES/worked/worked-written.gguf
cp "$good" m.gguf
inode=$(stat -c %i m.gguf)
"$GGUF" set m.gguf --in-place general.name=java-WRITTEN
"$GGUF" set m.gguf --in-place general.name=java-written
cmp m.gguf "$good"
"$GGUF" set m.gguf general.name=java-written-here
"$GGUF" set m.gguf general.name=java-written
cmp m.gguf "$good"
"$GGUF" rm m.gguf --in-place llama.embedding_length
"$GGUF" set m.gguf --in-place llama.embedding_length=64
"$GGUF" rename m.gguf --tensor --in-place output_norm.weight n
"$GGUF" rename m.gguf --tensor --in-place n output_norm.weight
"$GGUF" set m.gguf --in-place llama.embedding_length=64
stat -c '%s bytes' m.gguf
[ "$(stat -c %i m.gguf)" = "$inode" ] || echo 'another file'
"$GGUF" diff "$good" m.gguf
ls -A
