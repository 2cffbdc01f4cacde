# A number of tokens, with and without a suffix.
for n in 8192 8Ki 8ki 8K 8k; do
    "$GGUF" config --json --ctx "$n" "$FILES/good/llama.gguf" |
        jq -c "[\"$n\", .kv_cache[0].tokens]"
done
for n in 0 8kB 8.5k; do
    "$GGUF" config --ctx "$n" "$FILES/good/llama.gguf"
    echo $?
done
