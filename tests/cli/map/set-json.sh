"$GGUF" map --json "$FILES/odd/d26-normal"
