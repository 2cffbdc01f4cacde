file=$FILES/worked/worked-scalars.gguf
for key in $("$GGUF" keys --names "$file"); do
    "$GGUF" get --raw "$file" "$key" | od -An -tx1
done
