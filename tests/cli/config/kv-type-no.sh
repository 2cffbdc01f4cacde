"$GGUF" config --json --kv-type q4_k "$FILES/config/config-llama.gguf"
