# A file without an error may be no model still.
cp "$FILES/clean/llama-data.gguf" m.gguf
"$GGUF" rename --rewrite -q m.gguf llama.block_count llama.blok_count
"$GGUF" fix m.gguf -o out.gguf
"$GGUF" check out.gguf | tail -1
