cp "$FILES/words/words-keys.gguf" "Tiny-Model-1.0M-Instruct-v1-Q8_0.gguf"
"$GGUF" name "Tiny-Model-1.0M-Instruct-v1-Q8_0.gguf"
