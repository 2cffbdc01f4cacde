"$GGUF" get "$FILES/worked/worked-written.gguf" nothing.here
