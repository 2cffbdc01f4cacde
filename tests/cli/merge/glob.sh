# All shards and the output, as a shell gives them, in any order.
cp "$FILES/odd/d26-normal"/*.gguf .
"$GGUF" merge -q m-*.gguf whole.gguf
"$GGUF" merge -q m-00003-of-00003.gguf ./m-00001-of-00003.gguf m-00002-of-00003.gguf -o other.gguf
cmp whole.gguf other.gguf
