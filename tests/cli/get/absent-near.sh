"$GGUF" get "$FILES/worked/worked-written.gguf" embedding_length
