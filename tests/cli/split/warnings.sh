"$GGUF" split --max-size 1 "$FILES/good/llama.gguf" part --dry-run >plan
