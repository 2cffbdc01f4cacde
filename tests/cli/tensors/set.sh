"$GGUF" tensors "$FILES/odd/d26-normal"
