"$GGUF" check "$FILES/hostile/e43-name-paths.gguf"
"$GGUF" check "$FILES/good/llama.gguf" "$FILES/hostile/e05-lfs.gguf"
