cp "$FILES/odd/d19-key-twice.gguf" m.gguf
"$GGUF" rm m.gguf llama.context_length
"$GGUF" keys m.gguf
