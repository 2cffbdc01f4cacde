"$GGUF" config "$FILES/config/config-deepseek2.gguf"
