"$GGUF" keys "$FILES/odd/d15-nested.gguf"
"$GGUF" keys --json --full "$FILES/odd/d15-nested.gguf"
