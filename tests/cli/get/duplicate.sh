"$GGUF" get "$FILES/odd/d19-key-twice.gguf" llama.context_length
