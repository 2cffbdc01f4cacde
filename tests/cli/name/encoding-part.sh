cp "$FILES/words/words-titled.gguf" "Tiny-2M-v1.0-F32.gguf"
"$GGUF" name "Tiny-2M-v1.0-F32.gguf"
