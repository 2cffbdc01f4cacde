"$GGUF" map "$FILES/odd/d26-data-cut"
