# Shards of the prefix are refused; --force removes them, and nothing else.
"$GGUF" split -q --max-tensors 1 "$FILES/good/align-64.gguf" part
for other in part-00001-of-00002.ggu part-1-of-2.gguf parts-00001-of-00009.gguf \
    xpart-00001-of-00009.gguf part-00001-of-00009.gguf.bak part-00007-of-00003.gguf; do
    echo kept >"$other"
done
"$GGUF" split -q --max-tensors 1 "$FILES/good/align-64.gguf" part
echo "exit status $?"
rm part-00002-of-*.gguf part-00003-of-*.gguf
"$GGUF" split -q --max-tensors 100 "$FILES/good/align-64.gguf" part
echo "exit status $?"
"$GGUF" split -q --max-tensors 100 --force "$FILES/good/align-64.gguf" part
echo "exit status $?"
ls -a
# What is removed is told, and what would be.
mkdir sub
"$GGUF" split -q --max-tensors 1 "$FILES/good/align-64.gguf" sub/part
"$GGUF" split --max-tensors 100 --force --dry-run "$FILES/good/align-64.gguf" \
    sub/part
"$GGUF" split --max-tensors 100 --force --dry-run --json \
    "$FILES/good/align-64.gguf" sub/part | grep -o '"removed.*'
ls sub
# The first one found is told, which may be any.
"$GGUF" split --max-tensors 100 "$FILES/good/align-64.gguf" sub/part 2>&1 |
    sed 's/part-0000[123]-/part-N-/'
"$GGUF" split --max-tensors 100 --force "$FILES/good/align-64.gguf" sub/part
ls sub
