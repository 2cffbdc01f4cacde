"$GGUF" dump "$FILES/odd/d19-key-thrice.gguf"
"$GGUF" dump "$FILES/odd/d19-tensor-differs.gguf"
