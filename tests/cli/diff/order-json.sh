"$PAIRS" order
"$GGUF" diff --json a.gguf b.gguf
