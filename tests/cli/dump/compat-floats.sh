"$GGUF" dump --compat "$FILES/odd/d12-float.gguf" | sed 1d
