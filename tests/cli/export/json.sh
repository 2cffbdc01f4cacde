"$GGUF" export --json "$FILES/good/one-tensor.gguf" -o out.safetensors
"$GGUF" export --json "$FILES/good/one-tensor.gguf" -o out
"$GGUF" export --json --raw "$FILES/good/one-tensor.gguf" -o out
