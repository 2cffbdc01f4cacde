"$GGUF" tensors "$FILES/odd/d12-control.gguf"
"$GGUF" tensors --json "$FILES/odd/d12-control.gguf"
"$GGUF" tensors "$FILES/hostile/e43-name-path.gguf"
