# Tensors of one model only, of other shapes, of types that are not known.
"$QUANTIZABLE"
"$GGUF" diff --values model.gguf odd.gguf
echo "exit status $?"
"$GGUF" diff --values odd.gguf model.gguf | tail -n 1
"$GGUF" diff --values --json deep.gguf narrow.gguf |
    grep -o '"others":.*' | cut -c 1-300
f=$FILES/odd/d20-fork-types.gguf
"$GGUF" diff --values "$f" "$f" | tail -n 2
"$GGUF" diff --values --no-data "$f" "$f"
