"$GGUF" tensors --sort size -r "$FILES/worked/worked-mix.gguf"
