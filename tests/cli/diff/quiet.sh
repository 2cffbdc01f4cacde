"$PAIRS" keys
"$GGUF" diff -q a.gguf b.gguf
echo $?
"$GGUF" diff -qv --no-data a.gguf b.gguf
echo $?
"$GGUF" diff -q a.gguf a.gguf && echo the same
"$PAIRS" data
"$GGUF" diff -q a.gguf b.gguf
echo $?
"$PAIRS" order
"$GGUF" diff -q a.gguf b.gguf
