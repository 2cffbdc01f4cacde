"$GGUF" tensors "$FILES/odd/d17-8d.gguf"
"$GGUF" tensors "$FILES/odd/d17-0d.gguf"
"$GGUF" tensors "$FILES/odd/d18-zero-middle.gguf"
"$GGUF" tensors "$FILES/hostile/e47-dim-max-ok.gguf"
