cp "$FILES/clean/llama.gguf" a.gguf
"$GGUF" fix --json --in-place a.gguf
