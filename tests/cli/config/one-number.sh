"$GGUF" config --json --kv-type f16 "$FILES/config/config-llama.gguf" |
    tr ',' '\n' | grep '^"bytes_per_token"'
