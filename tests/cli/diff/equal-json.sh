"$PAIRS" equal
"$GGUF" diff --json a.gguf b.gguf
