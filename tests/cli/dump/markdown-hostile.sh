"$GGUF" dump --markdown "$FILES/odd/d12-control.gguf"
"$GGUF" dump --markdown "$FILES/hostile/e43-name-path.gguf"
