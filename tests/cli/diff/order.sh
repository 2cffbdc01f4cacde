"$PAIRS" order
"$GGUF" diff a.gguf b.gguf
