cp "$FILES/odd/d19-key-twice.gguf" m.gguf
"$GGUF" rm --rewrite m.gguf llama.context_length
"$GGUF" keys m.gguf
