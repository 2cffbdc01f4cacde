"$GGUF" map --entries "$FILES/odd/d12-control.gguf"
"$GGUF" map --entries --json "$FILES/odd/d12-control.gguf"
