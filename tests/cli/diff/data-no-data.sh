"$PAIRS" data
"$GGUF" diff --no-data a.gguf b.gguf
