# What a table says of a type decides; what it calls F32 may be none.
echo '0 F32 1 2' >types.tsv
"$GGUF" export -q --type-table types.tsv "$FILES/good/one-tensor.gguf" \
    -o out.safetensors
grep -a -o '{.*}}' out.safetensors
echo '97 "Q\ 32 16' >types.tsv
"$GGUF" export -q --type-table types.tsv "$FILES/odd/d20-opaque-last.gguf" b \
    -o quoted.safetensors
grep -a -o '{.*}}' quoted.safetensors
