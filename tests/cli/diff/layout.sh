"$PAIRS" layout
"$GGUF" diff a.gguf b.gguf
"$GGUF" diff -v a.gguf b.gguf 2>verbose
cat verbose >&2
