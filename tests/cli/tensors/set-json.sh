"$GGUF" tensors --json "$FILES/odd/d26-normal" "*.b.*"
