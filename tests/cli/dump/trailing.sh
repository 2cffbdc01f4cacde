"$GGUF" dump "$FILES/odd/d07-trailing.gguf"
