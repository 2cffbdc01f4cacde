# Types by the names that they have elsewhere.
"$QUANTIZABLE"
for type in f32 F32 float32 Float16 BF16 bfloat16; do
    "$GGUF" export -q --force --dtype "$type" quantized.gguf output.weight \
        -o a.safetensors
    head -c 200 a.safetensors | grep -ao '"dtype":"[A-Z0-9]*"'
done
"$GGUF" export --dtype float quantized.gguf -o a.safetensors
