"$PAIRS" keys
"$GGUF" diff --json a.gguf b.gguf
