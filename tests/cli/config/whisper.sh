"$GGUF" config "$FILES/config/config-whisper.gguf"
