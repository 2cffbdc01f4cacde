# A symbolic link is replaced by the new file, whatever asks for that, and what
# it led to stays: as in the cache of a download program.
mkdir blobs snapshots
cp "$FILES/worked/worked-written.gguf" blobs/0a
cp blobs/0a before
again() {
    rm -f snapshots/*
    ln -s ../blobs/0a snapshots/m.gguf
}
show() {
    [ -L snapshots/m.gguf ] || echo 'no link any more'
    cmp blobs/0a before && echo 'the blob stays'
}
again
"$GGUF" set --dry-run --rewrite snapshots/m.gguf general.name=x
show
"$GGUF" set --rewrite snapshots/m.gguf general.name=x
show
again
"$GGUF" set --backup snapshots/m.gguf general.name=x
show
[ -L snapshots/m.gguf.bak ] && echo 'the link is the backup'
again
"$GGUF" set --json snapshots/m.gguf general.name=x |
    grep -o '"links_replaced":1'
show
again
"$GGUF" copy --force before snapshots/m.gguf
show

echo 'a set:'
rm -f snapshots/*
for i in 1 2 3; do
    cp "$FILES/odd/d26-normal/m-0000$i-of-00003.gguf" "blobs/b$i"
    ln -s "../blobs/b$i" "snapshots/m-0000$i-of-00003.gguf"
done
"$GGUF" rm --tensor snapshots/m-00001-of-00003.gguf 'blk.1.b*'
