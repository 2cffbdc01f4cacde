"$GGUF" info "$FILES/worked/worked-one.gguf"
