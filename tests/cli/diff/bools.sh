"$PAIRS" bools
"$GGUF" diff a.gguf b.gguf
