"$GGUF" info --offset 513 "$FILES/odd/d08-embedded.gguf"
"$GGUF" info "$FILES/odd/d08-embedded.gguf"
