"$GGUF" map "$FILES/odd/d20-fork-types.gguf"
"$GGUF" map "$FILES/odd/d20-opaque-last.gguf"
