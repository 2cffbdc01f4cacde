"$GGUF" dump "$FILES/odd/d12-tokens.gguf"
"$GGUF" dump --json "$FILES/odd/d12-tokens.gguf"
