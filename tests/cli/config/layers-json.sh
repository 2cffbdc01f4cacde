"$GGUF" config --json "$FILES/config/config-layers.gguf"
