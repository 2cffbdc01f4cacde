# A whole number is the same as FLOAT32; 12.5 and a text are none.
cp "$FILES/clean/llama-data.gguf" m.gguf
"$GGUF" set --rewrite -q m.gguf --type FLOAT32 llama.block_count=2 2>/dev/null
"$GGUF" fix m.gguf -o out.gguf
cmp out.gguf "$FILES/clean/llama-data.gguf"
"$GGUF" set --rewrite -q m.gguf --type STRING llama.block_count=2 2>/dev/null
"$GGUF" fix --dry-run m.gguf
