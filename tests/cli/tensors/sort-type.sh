"$GGUF" tensors --sort type "$FILES/worked/worked-mix.gguf"
