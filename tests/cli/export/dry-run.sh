# To the byte, and without the folder.
"$GGUF" export --dry-run "$FILES/good/llama.gguf" 'blk.0*norm*' -o out
"$GGUF" export --dry-run --json "$FILES/good/llama.gguf" 'blk.0*norm*' -o out
"$GGUF" export --dry-run "$FILES/good/llama.gguf" -o out.safetensors
"$GGUF" export --dry-run "$FILES/good/llama.gguf" -o no/out
echo $?
ls -A
# A link that leads nowhere is in the way of a folder.
ln -s nowhere link
for dry in --dry-run --quiet; do
    "$GGUF" export "$dry" "$FILES/good/llama.gguf" 'blk.0*norm*' -o link
    echo $?
done
rm link
"$GGUF" export -q "$FILES/good/llama.gguf" -o out.safetensors
wc -c <out.safetensors
