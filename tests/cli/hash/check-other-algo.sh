"$GGUF" hash "$FILES/good/llama.gguf" >manifest
"$GGUF" hash -a sha256 -c manifest "$FILES/good/llama.gguf"
