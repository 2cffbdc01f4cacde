"$GGUF" hash "$FILES/odd/d20-opaque-last.gguf"
