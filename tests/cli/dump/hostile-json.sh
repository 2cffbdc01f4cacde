"$GGUF" dump --json "$FILES/odd/d12-control.gguf"
