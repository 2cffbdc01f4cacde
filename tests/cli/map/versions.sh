"$GGUF" map "$FILES/worked/worked-versions-v1.gguf"
"$GGUF" map "$FILES/worked/worked-versions-v3-big.gguf"
