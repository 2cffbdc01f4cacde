# Each shard is counted whole; what is larger than the limit stands alone.
"$GGUF" split --max-size 1K "$FILES/good/llama.gguf" part
"$GGUF" split --max-size 1Ki --json --force "$FILES/good/llama.gguf" part
ls
"$GGUF" merge -q part-*.gguf whole.gguf
"$GGUF" copy -q "$FILES/good/llama.gguf" copy.gguf
cmp whole.gguf copy.gguf
