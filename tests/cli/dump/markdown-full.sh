"$GGUF" dump --markdown --no-tensors --full "$FILES/good/vocab.gguf"
