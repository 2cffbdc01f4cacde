"$GGUF" info --json "$FILES/worked/worked-one.gguf" "$FILES/wrong/html.gguf"
