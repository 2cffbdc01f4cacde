"$PAIRS" data
"$GGUF" diff - b.gguf <a.gguf
