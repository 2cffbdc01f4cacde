# A file is told of once, whatever links to it lie beside it.
before=$FILES/good/llama.gguf
mkdir models blobs
cp "$before" models/m.gguf
"$GGUF" set -q --rewrite models/m.gguf general.name=other
"$JOURNAL" "$before" models/m.gguf
ln -s m.gguf models/link.gguf
ln -s m.gguf models/another.gguf
cp "$before" blobs/b.gguf
"$GGUF" set -q --rewrite blobs/b.gguf general.name=other
"$JOURNAL" "$before" blobs/b.gguf
mkdir cache
ln -s ../blobs/b.gguf cache/one.gguf
ln -s ../blobs/b.gguf cache/two.gguf
"$GGUF" recover --dry-run models
echo "status $?"
"$GGUF" recover --dry-run cache | sed 's/one\|two/NAME/'
"$GGUF" recover models
"$GGUF" recover cache | sed 's/one\|two/NAME/'
