# needs: leases
# A name from the folder is shown as text, whatever is in it.
before=$FILES/worked/worked-written.gguf
name=$(printf 'o\033[31m\nr.gguf')
cp "$before" m.gguf
cp "$before" "$name"
"$JOURNAL" "$before" "$name"
mv ".$name.ggk-journal" .m.gguf.ggk-journal
"$GGUF" recover m.gguf
echo "status $?"
"$GGUF" recover --discard m.gguf
echo "status $?"
