"$GGUF" info "$FILES/odd/d12-control.gguf"
