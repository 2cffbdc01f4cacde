"$GGUF" keys "$FILES/odd/d19-key-twice.gguf"
