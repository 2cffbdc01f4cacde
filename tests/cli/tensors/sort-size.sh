"$GGUF" tensors --sort size "$FILES/worked/worked-mix.gguf"
