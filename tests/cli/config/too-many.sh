"$GGUF" config --json "$FILES/config/config-too-many.gguf"
