# An input that has one of the names which are needed beside the output: of the
# temporary, of what is replaced meanwhile, of the backup.
good=$FILES/good/one-tensor.gguf
try() {
    "$@"
    echo "status $?"
}

for name in .out.gguf.ggk-tmp .out.gguf.ggk-old; do
    cp "$good" $name
    echo value >out.gguf
    try "$GGUF" copy --force $name out.gguf
    try "$GGUF" copy --force - out.gguf <$name
    try "$GGUF" set --rewrite $name general.name=x -o out.gguf --force
    try "$GGUF" set --rewrite "$good" --file general.name=$name -o out.gguf --force
    cmp $name "$good" && cat out.gguf
    rm $name out.gguf
done

cp "$good" in.gguf.bak
echo broken >in.gguf
try "$GGUF" fix in.gguf.bak -o in.gguf --force --backup
try "$GGUF" set --rewrite in.gguf.bak general.name=x -o in.gguf --force --backup
echo '{"general.name": "x"}' >keys.gguf.bak
cp "$good" keys.gguf
try "$GGUF" set --rewrite keys.gguf --from-json keys.gguf.bak --backup --force
try "$GGUF" set --rewrite keys.gguf --file general.name=keys.gguf.bak --backup --force
cmp in.gguf.bak "$good" && cmp keys.gguf "$good" && cat in.gguf keys.gguf.bak

# Not of the output alone: a shard of it.
cp "$FILES/good/llama.gguf" .p-00001-of-00002.gguf.ggk-old
try "$GGUF" split --max-tensors 11 .p-00001-of-00002.gguf.ggk-old p
ls -A
