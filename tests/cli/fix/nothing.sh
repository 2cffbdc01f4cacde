"$GGUF" fix "$FILES/clean/llama-data.gguf" -o out.gguf &&
cmp "$FILES/clean/llama-data.gguf" out.gguf
