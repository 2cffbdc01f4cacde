"$PAIRS" cut
"$GGUF" diff --no-data b.gguf a.gguf
