cp "$FILES/words/words-experts.gguf" "Mix-4x20K-v1.0-F16.gguf"
"$GGUF" name "Mix-4x20K-v1.0-F16.gguf"
