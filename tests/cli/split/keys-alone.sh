"$GGUF" split --max-tensors 100 --no-tensor-first-split "$FILES/good/llama.gguf" part
"$GGUF" keys --single part-00001-of-00002.gguf | tail -4
