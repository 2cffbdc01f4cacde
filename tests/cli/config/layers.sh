"$GGUF" config "$FILES/config/config-layers.gguf"
