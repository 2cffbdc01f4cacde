"$GGUF" config --json "$FILES/config/config-unknown.gguf"
