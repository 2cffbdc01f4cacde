"$GGUF" dump "$FILES/good/dims.gguf"
"$GGUF" dump "$FILES/odd/d17-8d.gguf"
"$GGUF" dump "$FILES/odd/d17-0d.gguf"
