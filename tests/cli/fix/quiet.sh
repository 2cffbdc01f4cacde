"$GGUF" fix -q "$FILES/odd/d19-key-thrice.gguf" -o out.gguf
