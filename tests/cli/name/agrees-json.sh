cp "$FILES/words/words-keys.gguf" "Tiny-1000K-v1.0-Q8_0.gguf"
"$GGUF" name --json Tiny-1000K-v1.0-Q8_0.gguf
