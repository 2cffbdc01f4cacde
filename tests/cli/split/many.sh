# More shards than files may be open, before the program asks for more.
# shellcheck disable=SC3045 # every sh that we know has it
ulimit -S -n 64
"$GGUF" split -q --max-tensors 2 "$FILES/good/many.gguf" part
"$GGUF" merge -q part-*.gguf whole.gguf
cmp whole.gguf "$FILES/good/many.gguf"
"$GGUF" info part-00003-of-*.gguf | tail -1
