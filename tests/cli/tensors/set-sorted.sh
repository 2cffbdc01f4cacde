"$GGUF" tensors --sort offset "$FILES/odd/d26-normal/m-00003-of-00003.gguf"
"$GGUF" tensors --sort size "$FILES/odd/d26-normal/m-00003-of-00003.gguf"
