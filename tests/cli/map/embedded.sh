"$GGUF" map --offset 513 "$FILES/odd/d08-embedded.gguf"
"$GGUF" map --json --offset 513 "$FILES/odd/d08-embedded.gguf"
