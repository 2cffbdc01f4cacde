"$GGUF" dump --compat "$FILES/worked/worked-written.gguf" | sed 1d
