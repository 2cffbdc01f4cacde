"$GGUF" config "$FILES/config/config-mamba.gguf"
