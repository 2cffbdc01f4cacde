"$GGUF" tensors "$FILES/odd/d02-unordered.gguf"
"$GGUF" tensors --sort offset "$FILES/odd/d02-unordered.gguf"
