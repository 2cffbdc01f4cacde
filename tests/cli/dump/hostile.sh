"$GGUF" dump "$FILES/odd/d12-control.gguf"
