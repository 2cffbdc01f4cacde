"$PAIRS" data
"$GGUF" diff --json a.gguf b.gguf
