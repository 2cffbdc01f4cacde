"$GGUF" dump --json --full --no-tensors "$FILES/good/vocab.gguf"
