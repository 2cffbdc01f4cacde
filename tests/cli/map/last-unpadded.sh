"$GGUF" map "$FILES/worked/worked-one.gguf"
