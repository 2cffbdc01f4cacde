"$GGUF" map "$FILES/odd/d18-zero-middle.gguf"
"$GGUF" map "$FILES/odd/d18-zero-last.gguf"
"$GGUF" map "$FILES/odd/d18-only-zero.gguf"
