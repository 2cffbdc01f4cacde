# Several patterns, and a second file, which is none.
"$QUANTIZABLE"
"$GGUF" stats model.gguf 'blk.0.*norm*' output.weight
"$GGUF" stats model.gguf quantized.gguf
echo "exit status $?"
