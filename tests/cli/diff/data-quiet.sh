"$PAIRS" data
"$GGUF" diff -nq a.gguf b.gguf
