cp "$FILES/worked/worked-written.gguf" m.gguf
"$GGUF" set --rewrite --json --dry-run m.gguf general.name=New \
    'tokenizer.ggml.tokens[1]=x' 'tokenizer.ggml.tokens[+]=y' a.key=1
"$GGUF" set --rewrite --json m.gguf general.name=java-written
cmp m.gguf "$FILES/worked/worked-written.gguf"
"$GGUF" set --rewrite --json m.gguf --type UINT64 llama.embedding_length=64 -q
"$GGUF" set --rewrite --json m.gguf llama.embedding_length=-1
