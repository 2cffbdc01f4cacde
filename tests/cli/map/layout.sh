"$GGUF" map "$FILES/worked/worked-layout.gguf"
