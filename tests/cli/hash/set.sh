# From any shard the digests are those of the whole set; names stay as given.
cp "$FILES"/odd/d26-normal/*.gguf .
"$GGUF" hash -a sha256 --content . | cut -c1-40
for shard in *.gguf; do
    "$GGUF" hash -t -a sha1 --content "$shard"
done
"$GGUF" hash --single "$shard"
