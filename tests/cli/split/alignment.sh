# Every shard says how it is laid out.
"$GGUF" split --max-tensors 1 "$FILES/good/align-64.gguf" part
"$GGUF" dump --single part-00002-of-*.gguf
"$GGUF" merge -q part-00001-of-*.gguf whole.gguf
cmp whole.gguf "$FILES/good/align-64.gguf"
