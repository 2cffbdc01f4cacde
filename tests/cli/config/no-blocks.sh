"$GGUF" config "$FILES/config/config-no-blocks.gguf"
