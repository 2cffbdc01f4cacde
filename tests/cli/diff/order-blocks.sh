"$PAIRS" order-blocks
"$GGUF" diff a.gguf b.gguf
