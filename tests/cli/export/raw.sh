"$GGUF" export --raw "$FILES/good/llama.gguf" '*embd*' -o out/
ls -A out
tail -c +2401 "$FILES/good/llama.gguf" | head -c 544 |
    cmp - out/token_embd.weight.bin
