# needs: leases
# Journals whose file has another name by now, or is gone.
before=$FILES/worked/worked-written.gguf
try() {
    "$GGUF" recover "$@"
    echo "status $?"
}
half() {
    cp "$before" "$1"
    "$GGUF" set -q "$1" --in-place general.name=java-WRITTEN
    "$JOURNAL" "$before" "$1"
}
half m.gguf
echo 'the journal itself:'
try .m.gguf.ggk-journal
try --discard .m.gguf.ggk-journal

echo 'renamed:'
mv m.gguf moved.gguf
try moved.gguf
try ./moved.gguf --dry-run
try m.gguf
try --discard m.gguf
try .m.gguf.ggk-journal
try .
try --discard .
mv .m.gguf.ggk-journal .moved.gguf.ggk-journal
try --dry-run moved.gguf
try --dry-run --json .
try moved.gguf
cmp moved.gguf "$before"

echo 'gone:'
half m.gguf
rm m.gguf
try m.gguf
try .m.gguf.ggk-journal
try .
try --discard --dry-run m.gguf
try --discard m.gguf
try --discard m.gguf
# All of them first, so that none gets the inode of one that is gone.
for name in a b c; do
    half $name.gguf
done
rm a.gguf b.gguf c.gguf
try --discard .a.gguf.ggk-journal
try --discard --json .
mkdir .d.gguf.ggk-journal
echo damaged >.e.gguf.ggk-journal
try --discard .
rmdir .d.gguf.ggk-journal
ls -A

echo "another's, beside a file:"
half m.gguf
mkdir folder
mv m.gguf folder
cp "$before" m.gguf
try .m.gguf.ggk-journal
try --discard .m.gguf.ggk-journal
try --discard m.gguf

echo 'for a shell:'
half "it's one.gguf"
half ./-m.gguf
half 'a	tab.gguf'
for name in "it's one.gguf" -m.gguf 'a	tab.gguf'; do
    "$GGUF" get -- "$name" general.name
done
try "it's one.gguf"

echo 'renamed, and then changed:'
half m.gguf
mv m.gguf other.gguf
cp other.gguf half.gguf
mkdir links
ln -s ../other.gguf links/l.gguf
for words in 'set other.gguf a.key=1' 'set --dry-run other.gguf a.key=1' \
    'set --rewrite other.gguf a.key=1' 'rm other.gguf general.name' \
    'rename --in-place links/l.gguf general.name general.other'; do
    # shellcheck disable=SC2086
    "$GGUF" $words
    echo "status $?"
done
cmp other.gguf half.gguf
rm half.gguf
try other.gguf
mv .m.gguf.ggk-journal .other.gguf.ggk-journal
"$GGUF" set -q other.gguf a.key=1
"$GGUF" get other.gguf general.name
ls -A
