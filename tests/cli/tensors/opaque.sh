"$GGUF" tensors "$FILES/odd/d20-fork-types.gguf"
"$GGUF" tensors --json "$FILES/odd/d20-fork-types.gguf"
