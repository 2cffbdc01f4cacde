"$GGUF" get "$FILES/worked/worked-written.gguf" general.name --index 3:1
