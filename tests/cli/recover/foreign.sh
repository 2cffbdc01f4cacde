# needs: leases
# What lies where a journal would, and is not the file's: it is left alone.
before=$FILES/worked/worked-written.gguf
j=.m.gguf.ggk-journal
try() {
    "$GGUF" "$@"
    echo "status $?"
}
cp "$before" m.gguf
ln -s m.gguf $j
echo link
try recover m.gguf
try get m.gguf general.name
try set -v m.gguf general.name=java-WRITTEN
try set m.gguf --in-place general.name=java-written
rm $j

mkfifo $j
echo fifo
try recover m.gguf
try get m.gguf general.name
rm $j

mkdir $j
echo folder
try recover m.gguf
try get m.gguf general.name
rmdir $j

cp m.gguf other.gguf
"$JOURNAL" "$before" other.gguf
mv .other.gguf.ggk-journal $j
echo "another file's"
try recover m.gguf
try recover --json m.gguf
try get m.gguf general.name
try set -q m.gguf --in-place general.name=java-WRITTEN
"$JOURNAL" "$before" m.gguf --set size=895
echo 'of another size'
try recover m.gguf
try get m.gguf general.name
"$JOURNAL" "$before" m.gguf --set nanoseconds=1
echo 'of a file that was made at another time'
try recover m.gguf
try get m.gguf general.name
rm $j

"$JOURNAL" "$before" m.gguf
ln $j kept
echo 'with another name'
try recover m.gguf
try get m.gguf general.name
ls -A
rm $j kept

# --discard removes what is of use to nobody.
echo discard
ln -s m.gguf $j
try recover --discard --dry-run m.gguf
try recover --discard m.gguf
[ -L $j ] && echo 'the link is there'
mkfifo $j
try recover --discard --json m.gguf
mkdir $j
try recover --discard m.gguf
rmdir $j
"$JOURNAL" "$before" other.gguf
mv .other.gguf.ggk-journal $j
try recover --discard m.gguf
ls $j
rm other.gguf
try recover --discard m.gguf
"$JOURNAL" "$before" m.gguf --set size=895
try recover --discard -q m.gguf
"$JOURNAL" "$before" m.gguf
ln $j kept
try recover --discard m.gguf
rm kept
try recover --discard m.gguf
cmp m.gguf "$before"
echo damaged >$j
try recover --discard m.gguf
ls -A
