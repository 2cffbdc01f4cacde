"$GGUF" config "$FILES/config/config-llama.gguf"
