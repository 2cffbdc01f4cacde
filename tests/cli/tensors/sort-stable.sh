# 500 tensors of the same size and type stay in file order.
file=$FILES/good/many.gguf
"$GGUF" tensors "$file" >plain
for by in size type offset; do
    "$GGUF" tensors --sort "$by" "$file" | cmp - plain || exit
done
"$GGUF" tensors --sort size --reverse "$file" | cmp - plain || exit
"$GGUF" tensors --sort name "$file" | sed 1d >by-name
sort by-name | cmp - by-name
