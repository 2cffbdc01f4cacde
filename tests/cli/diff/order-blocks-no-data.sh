"$PAIRS" order-blocks
"$GGUF" diff -n a.gguf b.gguf
