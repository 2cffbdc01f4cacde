"$GGUF" tensors "$FILES/worked/worked-mix.gguf"
