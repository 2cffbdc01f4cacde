"$GGUF" tensors --json "$FILES/worked/worked-mix.gguf" "blk.1.*"
