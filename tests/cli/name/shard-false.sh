cp "$FILES/words/words-plain.gguf" "Tiny-1M-v1.0-00001-of-00003.gguf"
"$GGUF" name "Tiny-1M-v1.0-00001-of-00003.gguf"
