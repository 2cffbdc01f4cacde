# Dequantized; NaN stays NaN, and what is too large is refused, with nothing
# written.
"$QUANTIZABLE"
"$GGUF" export --dtype f16 quantized.gguf token_embd.weight -o a.npy
"$GGUF" export --json --dry-run --dtype f32 quantized.gguf -o a.safetensors
"$GGUF" export -q --dtype f32 quantized.gguf blk.0.attn_k.weight -o a.bin
od -A n -t f4 -N 32 a.bin
"$GGUF" export -q --dtype bf16 nan.gguf blk.0.attn_v.weight -o nan.bin
od -A n -t x2 -j 544 -N 4 nan.bin
"$GGUF" export --dtype f16 large.gguf -o large.safetensors
echo "exit status $?"
"$GGUF" export -q --dtype bf16 large.gguf -o large.safetensors
ls a.* large.*
