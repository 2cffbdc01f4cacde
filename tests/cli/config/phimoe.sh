"$GGUF" config "$FILES/config/config-phimoe.gguf"
