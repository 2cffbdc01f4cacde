cp "$FILES/words/words-experts.gguf" "Mix-8x12K-v1.0-F16.gguf"
"$GGUF" name "Mix-8x12K-v1.0-F16.gguf"
