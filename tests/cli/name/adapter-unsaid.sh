cp "$FILES/words/words-lora.gguf" "Tiny-7B-v1.0.gguf"
"$GGUF" name "Tiny-7B-v1.0.gguf"
