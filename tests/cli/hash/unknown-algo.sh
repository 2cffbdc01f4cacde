"$GGUF" hash -a md5 "$FILES/good/llama.gguf"
