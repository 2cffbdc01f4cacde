"$PAIRS" recipe
"$GGUF" diff a.gguf b.gguf
