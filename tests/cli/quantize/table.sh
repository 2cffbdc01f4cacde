# A table of types is not replaced, nor is a built-in type that it hides written.
"$QUANTIZABLE"
echo '2 MYQ4 32 20' >table.tsv
"$GGUF" quantize --force --type-table table.tsv model.gguf table.tsv Q8_0
echo "exit status $?"
"$GGUF" copy --force --type-table table.tsv model.gguf table.tsv
echo "exit status $?"
"$GGUF" quantize --type-table table.tsv model.gguf out.gguf Q4_0
echo "exit status $?"
cat table.tsv
"$GGUF" quantize -q --type-table table.tsv model.gguf out.gguf Q8_0
echo "exit status $?"
