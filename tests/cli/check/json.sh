"$GGUF" check --json "$FILES/hostile/e60-trailing.gguf" no-such.gguf
