"$GGUF" config --kv-type q9 "$FILES/config/config-llama.gguf"
