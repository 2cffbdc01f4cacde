for key in $("$GGUF" keys --names "$FILES/worked/worked-scalars.gguf"); do
    echo "$key: $("$GGUF" get "$FILES/worked/worked-scalars.gguf" "$key")"
done
