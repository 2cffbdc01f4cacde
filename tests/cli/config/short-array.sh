"$GGUF" config "$FILES/config/config-short-array.gguf"
