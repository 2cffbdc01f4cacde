"$GGUF" map "$FILES/worked/worked-align32.gguf"
"$GGUF" map "$FILES/worked/worked-align64.gguf"
