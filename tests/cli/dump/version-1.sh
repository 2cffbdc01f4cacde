"$GGUF" dump "$FILES/worked/worked-versions-v1.gguf"
