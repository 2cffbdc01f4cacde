"$GGUF" config --ctx 32Ki --kv-type q8_0 "$FILES/config/config-llama.gguf"
