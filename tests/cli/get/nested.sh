"$GGUF" keys --names "$FILES/odd/d15-nested.gguf"
for key in $("$GGUF" keys --names "$FILES/odd/d15-nested.gguf"); do
    "$GGUF" get "$FILES/odd/d15-nested.gguf" "$key"
    "$GGUF" get --json "$FILES/odd/d15-nested.gguf" "$key"
done
