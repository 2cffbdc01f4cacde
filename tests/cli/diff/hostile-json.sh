"$PAIRS" hostile
"$GGUF" diff -q --json a.gguf b.gguf
