# Tensors that lie on each other so that they are far more than the file: no
# reader of data takes that.
"$QUANTIZABLE"
for command in "hash -t piled.gguf" "stats piled.gguf" "copy piled.gguf a.gguf" \
    "diff --values piled.gguf piled.gguf" "quantize piled.gguf a.gguf Q8_0"; do
    # shellcheck disable=SC2086 # words are meant
    "$GGUF" $command 2>&1
    echo "exit status $?"
done
"$GGUF" info piled.gguf | head -n 2
find . -name a.gguf
