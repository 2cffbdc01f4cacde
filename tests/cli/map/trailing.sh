"$GGUF" map "$FILES/odd/d07-trailing.gguf"
"$GGUF" map --json "$FILES/odd/d07-trailing.gguf"
