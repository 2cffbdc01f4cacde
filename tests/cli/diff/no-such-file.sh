"$PAIRS" equal
"$GGUF" diff a.gguf c.gguf
