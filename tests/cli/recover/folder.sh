# needs: leases
# Of a folder all files, one after the other, whatever becomes of each.
before=$FILES/worked/worked-written.gguf
mkdir models
"$GGUF" recover models
echo "status $?"
for name in a.gguf b.gguf c.gguf; do
    cp "$before" "models/$name"
    "$GGUF" set -q "models/$name" --in-place general.name=java-WRITTEN
done
half() {
    for name in a.gguf b.gguf; do
        cp "$before" half
        "$GGUF" set -q half general.name=java-WRITTEN
        cat half >models/$name
        "$JOURNAL" "$before" models/$name
    done
    mv models/.b.gguf.ggk-journal models/.c.gguf.ggk-journal
    mv models/.a.gguf.ggk-journal models/.gone.gguf.ggk-journal
    "$JOURNAL" "$before" models/a.gguf
}
half
echo damaged >models/.b.gguf.ggk-journal
"$GGUF" recover --dry-run models
echo "status $?"
"$GGUF" recover --json models/
echo "status $?"
cmp models/a.gguf "$before"
mv models/.c.gguf.ggk-journal models/.b.gguf.ggk-journal
rm models/.gone.gguf.ggk-journal
"$GGUF" recover models/
echo "status $?"
cmp models/b.gguf "$before"
ls -A models
# What is no file has no journal, whatever lies there.
half
rm models/.gone.gguf.ggk-journal models/.c.gguf.ggk-journal
mkdir models/a
mkfifo models/aa
touch models/.a.ggk-journal models/.aa.ggk-journal
"$GGUF" recover models
echo "status $?"
cmp models/a.gguf "$before"
# Links lead to files that have their journals elsewhere, as in a cache.
mkdir blobs snapshot
cp "$before" blobs/dead
cp "$before" half
"$GGUF" set -q half general.name=java-WRITTEN
cat half >blobs/dead
"$JOURNAL" "$before" blobs/dead
ln -s ../blobs/dead snapshot/m.gguf
"$GGUF" recover snapshot
echo "status $?"
cmp blobs/dead "$before"
