# needs: leases
# An edit that was interrupted: nobody reads the file until it is undone.
cp "$FILES/worked/worked-written.gguf" m.gguf
"$GGUF" set -q m.gguf --in-place general.name=java-WRITTEN
"$JOURNAL" "$FILES/worked/worked-written.gguf" m.gguf
cp m.gguf half.gguf
for command in info keys tensors 'map -e' check 'dump --json' hash \
    'diff half.gguf' 'copy -o out.gguf' 'fix -o out.gguf'; do
    # shellcheck disable=SC2086 # words
    "$GGUF" $command m.gguf
    echo "status $?"
done
for how in '-o out.gguf' --dry-run; do
    # shellcheck disable=SC2086 # words
    "$GGUF" set $how m.gguf a.key=1
    echo "status $?"
done
"$GGUF" recover --dry-run m.gguf
"$GGUF" recover --dry-run --json m.gguf
cmp half.gguf m.gguf
"$GGUF" recover m.gguf
cmp "$FILES/worked/worked-written.gguf" m.gguf
"$GGUF" recover m.gguf
ls -A
# By its other name, a link's; the journal lies beside the file itself.
mkdir folder
cp half.gguf folder/m.gguf
"$JOURNAL" m.gguf folder/m.gguf
ln -s folder/m.gguf link.gguf
"$GGUF" get link.gguf general.name
"$GGUF" recover --json link.gguf
cmp m.gguf folder/m.gguf
ls -A folder
