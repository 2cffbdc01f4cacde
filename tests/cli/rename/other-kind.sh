# The name of a tensor where a key is wanted, and the reverse.
exec 2>&1
cp "$FILES/good/llama.gguf" m.gguf
try() {
    "$GGUF" "$@"
    echo "status $?"
}
try rename m.gguf token_embd.weight foo
try rename --tensor m.gguf general.name foo
try rm m.gguf token_embd.weight
try rm m.gguf 'blk.*'
try rm --tensor m.gguf general.name
try rm --tensor m.gguf 'tokenizer.*'
try get m.gguf token_embd.weight
try keys m.gguf token_embd.weight
try tensors m.gguf general.name
try tensors m.gguf 'general.*'
try stats m.gguf general.name
echo 'neither:'
try rm m.gguf 'nothing.*'
cmp m.gguf "$FILES/good/llama.gguf"
