"$GGUF" dump "$FILES/hostile/e58-half-missing.gguf"
