"$GGUF" config "$FILES/config/config-jamba.gguf"
