# A split set is one model.
"$GGUF" export "$FILES/odd/d26-normal" -o out.safetensors
"$GGUF" merge -q "$FILES/odd/d26-normal"/*.gguf whole.gguf
"$GGUF" export -q whole.gguf -o whole.safetensors
cmp out.safetensors whole.safetensors
