"$GGUF" tensors --sort name "$FILES/worked/worked-mix.gguf"
