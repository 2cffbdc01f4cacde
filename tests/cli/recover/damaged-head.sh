# needs: leases
# One bit of the inode in a file's own journal: by its head it is another
# file's, but it is damaged, and no head of such a one is believed.
before=$FILES/worked/worked-written.gguf
j=.m.gguf.ggk-journal
cp "$before" m.gguf
"$GGUF" set -q m.gguf --in-place general.name=java-WRITTEN
"$JOURNAL" "$before" m.gguf
cp m.gguf half
head -c 16 $j >flipped
dd if=$j bs=1 skip=16 count=1 2>/dev/null | tr '\000-\377' '\001-\377\000' >>flipped
tail -c +18 $j >>flipped
cp flipped $j
for words in 'get m.gguf general.name' 'set m.gguf a.key=1' 'recover m.gguf' \
    'recover --discard m.gguf'; do
    # shellcheck disable=SC2086
    "$GGUF" $words
    echo "status $?"
done
cmp m.gguf half
cmp $j flipped
