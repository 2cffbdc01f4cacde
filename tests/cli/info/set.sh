"$GGUF" info "$FILES/odd/d26-normal"
"$GGUF" info "$FILES/odd/d26-normal/m-00002-of-00003.gguf" | sed 1d >second
"$GGUF" info "$FILES/odd/d26-normal" | sed 1d | cmp - second
"$GGUF" info --single "$FILES/odd/d26-normal/m-00002-of-00003.gguf"
