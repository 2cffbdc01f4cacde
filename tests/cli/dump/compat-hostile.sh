"$GGUF" dump --compat "$FILES/odd/d12-control.gguf" | sed 1d
"$GGUF" dump --compat "$FILES/hostile/e43-name-path.gguf" | sed 1d
