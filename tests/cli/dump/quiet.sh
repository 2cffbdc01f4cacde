"$GGUF" dump -q "$FILES/odd/d07-trailing.gguf"
