"$GGUF" dump --no-tensors "$FILES/good/llama.gguf"
