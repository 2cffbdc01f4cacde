"$PAIRS" form
"$GGUF" diff a.gguf b.gguf
