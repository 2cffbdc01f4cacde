"$QUANTIZABLE"
"$GGUF" stats --json quantized.gguf '*norm*'
"$GGUF" stats --json infinite.gguf blk.0.attn_v.weight
