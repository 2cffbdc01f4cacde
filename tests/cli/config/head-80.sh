"$GGUF" config "$FILES/config/config-head-80.gguf"
