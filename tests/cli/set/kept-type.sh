# A key of the wrong type keeps it; that is said, and how to change it.
cp "$FILES/good/llama.gguf" m.gguf
"$GGUF" set --rewrite -q m.gguf --type STRING llama.context_length=4096 my.key=12 2>/dev/null
exec 2>&1
"$GGUF" set --rewrite m.gguf llama.context_length=4096 my.key=12
"$GGUF" set --rewrite --dry-run m.gguf llama.context_length=2048 my.key=13
"$GGUF" set --rewrite -q m.gguf --type UINT32 llama.context_length=4096
"$GGUF" set --rewrite m.gguf llama.context_length=4096 general.name=LLaMA
"$GGUF" set --rewrite --dry-run -q m.gguf llama.rope.freq_base=12 general.name=7
