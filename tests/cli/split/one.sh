# A set of one shard says so.
"$GGUF" split --max-size 1T "$FILES/good/one-tensor.gguf" part
"$GGUF" keys part-00001-of-00001.gguf
"$GGUF" merge -q part-00001-of-00001.gguf whole.gguf
cmp whole.gguf "$FILES/good/one-tensor.gguf"
