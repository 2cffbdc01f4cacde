cp "$FILES/words/words-experts.gguf" "Mix-90K-A20K-v1.0-F16.gguf"
"$GGUF" name "Mix-90K-A20K-v1.0-F16.gguf"
