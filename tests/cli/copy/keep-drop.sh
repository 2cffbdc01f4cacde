"$GGUF" copy -q --keep 'blk.*' --drop '*norm*' "$FILES/good/llama.gguf" out.gguf
"$GGUF" tensors out.gguf | head -4
