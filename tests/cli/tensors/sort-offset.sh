"$GGUF" tensors --sort offset "$FILES/worked/worked-mix.gguf"
