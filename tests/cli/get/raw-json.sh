"$GGUF" get --raw --json "$FILES/worked/worked-written.gguf" general.name
