"$PAIRS" layout
"$GGUF" diff --json -vq a.gguf b.gguf
