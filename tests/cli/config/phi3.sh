"$GGUF" config -v "$FILES/config/config-phi3.gguf"
