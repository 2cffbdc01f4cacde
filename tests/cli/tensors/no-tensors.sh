"$GGUF" tensors "$FILES/good/one-key.gguf"
