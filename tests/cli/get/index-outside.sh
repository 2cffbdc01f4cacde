"$GGUF" get "$FILES/worked/worked-written.gguf" tokenizer.ggml.tokens --index 3
