"$GGUF" tensors "$FILES/worked/worked-mix.gguf" "blk.1.*"
