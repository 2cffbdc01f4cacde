"$GGUF" dump "$FILES/hostile/e43-name-path.gguf"
