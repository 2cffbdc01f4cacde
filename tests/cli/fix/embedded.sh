"$GGUF" fix --offset 513 "$FILES/odd/d08-embedded.gguf" -o out.gguf
