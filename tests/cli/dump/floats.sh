"$GGUF" dump "$FILES/odd/d12-float.gguf"
"$GGUF" dump --json "$FILES/odd/d12-float.gguf"
