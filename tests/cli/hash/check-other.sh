# A manifest of other files.
"$GGUF" hash "$FILES/good/llama.gguf" >manifest
"$GGUF" hash -c manifest "$FILES/worked/worked-written.gguf"
