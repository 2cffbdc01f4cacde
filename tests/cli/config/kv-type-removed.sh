"$GGUF" config --kv-type q4_2 "$FILES/config/config-head-80.gguf"
