"$GGUF" dump --compat --no-tensors "$FILES/good/vocab.gguf" | sed 1d
