# The weights, and the sum with the cache.
"$GGUF" config --ctx 4Ki --kv-type f16 "$FILES/good/llama.gguf" | tail -n 3
"$GGUF" config --json --ctx 4Ki "$FILES/good/llama.gguf" |
    grep -o '"weight_bytes":[0-9]*\|"bytes_with_weights":[0-9]*'
# Without tensors there is nothing to say.
! "$GGUF" config "$FILES/config/config-llama.gguf" | grep MEMORY
