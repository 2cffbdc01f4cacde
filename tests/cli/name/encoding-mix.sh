cp "$FILES/words/words-titled.gguf" "x-2M-Q4_0.gguf"
"$GGUF" name "x-2M-Q4_0.gguf"
