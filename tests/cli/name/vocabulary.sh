cp "$FILES/words/words-vocab.gguf" "Tiny-v1.0-vocab.gguf"
"$GGUF" name "Tiny-v1.0-vocab.gguf"
