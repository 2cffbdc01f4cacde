"$GGUF" keys "$FILES/odd/d12-control.gguf"
"$GGUF" keys --names "$FILES/odd/d13-keys.gguf" | cut -c1-60
"$GGUF" keys --json "$FILES/odd/d12-control.gguf"
