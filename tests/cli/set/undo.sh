# A backup, and a dump of the keys, both give back what was.
cp "$FILES/good/llama.gguf" m.gguf
"$GGUF" set --rewrite -q --backup m.gguf general.name=Other
"$GGUF" set --rewrite -q --backup m.gguf general.name=Third
echo "$?"
mv m.gguf.bak m.gguf
cmp m.gguf "$FILES/good/llama.gguf"
"$GGUF" dump --json --full --no-tensors m.gguf >before.json
"$GGUF" set --rewrite -q m.gguf general.name=Other
"$GGUF" set --rewrite -q m.gguf --from-json before.json
cmp m.gguf "$FILES/good/llama.gguf"
