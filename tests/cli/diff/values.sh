# The numbers, whatever the types, the farthest first.
"$QUANTIZABLE"
"$GGUF" quantize -q model.gguf q4.gguf Q4_0
"$GGUF" diff --values model.gguf q4.gguf
"$GGUF" diff --values -q model.gguf q4.gguf
echo "exit status $?"
# The same, in two files; and with -v the rows that are the same.
"$GGUF" diff --values model.gguf set-00002-of-00002.gguf
echo "exit status $?"
"$GGUF" diff --values -v model.gguf set-00002-of-00002.gguf | head -n 3
# NaN on one side; NaN on both.
"$GGUF" diff --values model.gguf nan.gguf
"$GGUF" diff --values --json nan.gguf infinite.gguf |
    grep -o '{"name":"blk.0.attn_v[^}]*}'
"$GGUF" diff --values nan.gguf nan.gguf
