"$PAIRS" data
"$GGUF" diff a.gguf b.gguf
