"$PAIRS" cut
"$GGUF" diff a.gguf b.gguf
