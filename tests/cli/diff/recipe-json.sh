"$PAIRS" recipe
"$GGUF" diff --json a.gguf b.gguf
