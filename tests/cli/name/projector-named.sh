cp "$FILES/words/words-mmproj.gguf" "mmproj-Tiny-7B-v1.0-Q8_0.gguf"
"$GGUF" name "mmproj-Tiny-7B-v1.0-Q8_0.gguf"
