# Numbers are little-endian but in raw files; what cannot be swapped is refused.
"$GGUF" copy -q --drop t.IQ2_XXS "$FILES/good/types.gguf" little.gguf
"$GGUF" copy -q --byte-order big little.gguf big.gguf
for order in little big; do
    "$GGUF" export -q $order.gguf -o $order.safetensors
    "$GGUF" export -q $order.gguf -o $order
    "$GGUF" export -q --raw $order.gguf 't.[FI]*' -o $order-raw
done
cmp little.safetensors big.safetensors
diff -r little big
diff -r -q little-raw big-raw
"$GGUF" copy -q --keep t.I32 --byte-order big little.gguf i32.gguf
tail -c 32 i32.gguf | head -c 24 | cmp - big-raw/t.I32.bin
"$GGUF" export "$FILES/features/features-v3-big.gguf" fork -o out
echo $?
"$GGUF" export --raw "$FILES/features/features-v3-big.gguf" fork -o out
