for key in $("$GGUF" keys --names "$FILES/worked/worked-scalars.gguf"); do
    "$GGUF" get --json "$FILES/worked/worked-scalars.gguf" "$key"
done
