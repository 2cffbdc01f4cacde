"$GGUF" tensors "$FILES/worked/worked-mix.gguf" "*.attn_?.*"
"$GGUF" tensors "$FILES/worked/worked-mix.gguf" "*ffn_[du]*"
