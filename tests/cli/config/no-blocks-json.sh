"$GGUF" config --json "$FILES/config/config-no-blocks.gguf"
