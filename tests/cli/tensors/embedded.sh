"$GGUF" tensors --offset 513 "$FILES/odd/d08-embedded.gguf"
