"$GGUF" dump "$FILES/worked/worked-versions-v3-big.gguf"
