# Of a type that nobody knows: all bytes up to the next tensor.
"$GGUF" export -q "$FILES/odd/d20-opaque-last.gguf" b -o out.safetensors
grep -a -o '{.*}}' out.safetensors
"$GGUF" export "$FILES/odd/d20-opaque-last.gguf" b -o out
