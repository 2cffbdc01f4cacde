# needs: leases
# What is not edited in place is written anew, unless --in-place insists.
good=$FILES/worked/worked-written.gguf
try() {
    "$GGUF" set "$@"
    echo "status $?"
}
echo 'hard link:'
cp "$good" m.gguf
ln m.gguf other.gguf
try -v m.gguf a.key=1
cmp other.gguf "$good"
ln -f m.gguf other.gguf
try m.gguf --in-place a.key=2
"$GGUF" get other.gguf a.key

echo 'symbolic link:'
rm other.gguf
ln -s m.gguf link.gguf
try -v link.gguf a.key=3
"$GGUF" get m.gguf a.key
[ ! -L link.gguf ] && "$GGUF" get link.gguf a.key
ln -sf m.gguf link.gguf
try link.gguf --in-place a.key=4
"$GGUF" get m.gguf a.key
[ -L link.gguf ] || echo 'no link any more'

echo 'open elsewhere:'
exec 3<m.gguf
try -v m.gguf a.key=5
exec 3<m.gguf
try m.gguf --in-place a.key=6
"$GGUF" get m.gguf a.key
exec 3<&-

echo 'usage:'
try m.gguf --in-place a.key=7 -o out.gguf
try m.gguf --in-place a.key=7 --backup
try m.gguf --in-place a.key=7 --rewrite
"$GGUF" get m.gguf a.key

echo 'what changes:'
try -v m.gguf general.alignment=64
try m.gguf --in-place general.alignment=32
"$GGUF" rm --tensor --in-place m.gguf token_embd.weight
echo "status $?"
cp "$FILES/odd/d26-normal/"* .
"$GGUF" rm --tensor --in-place m-00001-of-00003.gguf '*'
echo "status $?"
try - --in-place a.key=1 <m.gguf
ls -A
