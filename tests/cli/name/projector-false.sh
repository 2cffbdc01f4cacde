cp "$FILES/words/words-plain.gguf" "mmproj-Tiny-1M-v1.0-Q8_0.gguf"
"$GGUF" name "mmproj-Tiny-1M-v1.0-Q8_0.gguf"
