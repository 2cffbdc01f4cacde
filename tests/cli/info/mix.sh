"$GGUF" info "$FILES/worked/worked-mix.gguf"
