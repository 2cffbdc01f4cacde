"$PAIRS" hostile
"$GGUF" diff a.gguf b.gguf
