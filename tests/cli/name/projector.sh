cp "$FILES/words/words-mmproj.gguf" "Tiny-7B-v1.0-Q8_0.gguf"
"$GGUF" name "Tiny-7B-v1.0-Q8_0.gguf"
