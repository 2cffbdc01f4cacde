# needs: leases
# A journal that is damaged, or was made to harm: nothing is written.
before=$FILES/worked/worked-written.gguf
cp "$before" m.gguf
"$GGUF" set -q m.gguf general.name=java-WRITTEN
cp m.gguf half
said=
# try [OPTION]... - a journal like that. What is said as before, of a file that
# stays as it was, is not said again.
try() {
    cat half >m.gguf
    "$JOURNAL" "$before" m.gguf "$@"
    now=$("$GGUF" recover m.gguf 2>&1
        echo "status $?"
        cmp m.gguf half 2>&1)
    [ "$now" = "$said" ] || printf '%s:\n%s\n' "$*" "$now"
    said=$now
}
for bytes in 0 1 7 8 71 72 79 80 95 96 102; do
    try --cut $bytes
done
for at in 0 8 16 24 32 40 48 56 64 72 80 88 94 95 102; do
    try --flip $at
done
big=0xffffffffffffffff
for change in length=$big length=0 size=$big size=0 inserted=$big \
    inserted=0x7fffffffffffffff inserted=32 extents=$big extents=1 \
    extents=0x0aaaaaaaaaaaaaab runs=$big runs=0 runs=2 \
    runs=0x1000000000000000 at=$big at=896 at=895 bytes=$big bytes=0 \
    bytes=1000; do
    try --set "$change"
done
try
cat half >m.gguf
echo garbage >.m.gguf.ggk-journal
for command in recover info; do
    "$GGUF" $command m.gguf
    echo "status $?"
done
for how in --in-place --rewrite; do
    "$GGUF" set $how m.gguf a.key=1
    echo "status $?"
done
cmp m.gguf half
ls -A
