# To the byte, and without the folder.
"$GGUF" export --dry-run "$FILES/good/llama.gguf" 'blk.0*norm*' -o out
"$GGUF" export --dry-run --json "$FILES/good/llama.gguf" 'blk.0*norm*' -o out
"$GGUF" export --dry-run "$FILES/good/llama.gguf" -o out.safetensors
"$GGUF" export --dry-run "$FILES/good/llama.gguf" -o no/out
echo $?
ls -A
"$GGUF" export -q "$FILES/good/llama.gguf" -o out.safetensors
wc -c <out.safetensors
