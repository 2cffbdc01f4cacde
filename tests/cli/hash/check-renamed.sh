# Names of what the manifest lists, and what else there is.
cp "$FILES/good/llama.gguf" old.gguf
for name in a b c d; do echo "xxh64     0123456789abcdef  $name.gguf:t"; done >others
"$GGUF" hash -t -a sha256 old.gguf >manifest
mv old.gguf new.gguf
"$GGUF" hash -c manifest new.gguf
echo "$?"
"$GGUF" hash -a sha256 -c manifest new.gguf
echo "$?"
cat others >>manifest
"$GGUF" hash -c manifest new.gguf
echo "$?"
sed 's/old\.gguf/new.gguf/' manifest | "$GGUF" hash -c - new.gguf
