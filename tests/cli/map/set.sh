"$GGUF" map "$FILES/odd/d26-normal"
