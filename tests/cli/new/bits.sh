# Bits that must be named: what is exported comes back, and a hint if it is not.
for type in Q8_0 BF16; do
    "$GGUF" export -q "$FILES/good/types.gguf" "t.$type" -o "$type.npy"
    echo "{\"tensors\": [{\"name\": \"a\", \"npy\": \"$type.npy\"}]}" >s.json
    "$GGUF" new a.gguf --spec s.json
    echo $?
    echo "{\"tensors\": [{\"name\": \"a\", \"npy\": \"$type.npy\", \"type\": \"$type\"}]}" >s.json
    "$GGUF" new -q --force a.gguf --spec s.json
    "$GGUF" tensors a.gguf
done
"$GGUF" export --raw -q "$FILES/good/types.gguf" t.BF16 -o was
"$GGUF" export --raw -q a.gguf -o is
cmp was/t.BF16.bin is/a.bin
