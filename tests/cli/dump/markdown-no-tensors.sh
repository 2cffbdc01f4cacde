"$GGUF" dump --markdown --no-tensors "$FILES/good/vocab.gguf"
