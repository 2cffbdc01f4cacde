"$GGUF" config --json "$FILES/config/config-llama.gguf"
