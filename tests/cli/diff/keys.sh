"$PAIRS" keys
"$GGUF" diff a.gguf b.gguf
