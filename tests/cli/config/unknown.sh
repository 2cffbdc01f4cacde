"$GGUF" config "$FILES/config/config-unknown.gguf"
