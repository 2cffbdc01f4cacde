"$PAIRS" recipe
"$GGUF" diff --no-data a.gguf b.gguf
