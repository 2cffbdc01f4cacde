"$GGUF" config --ctx 512 "$FILES/config/config-gemma3.gguf"
