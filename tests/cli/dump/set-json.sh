"$GGUF" dump --json "$FILES/odd/d26-normal"
