cp "$FILES/words/words-plain.gguf" "T[31m-1M-v1.0.gguf"
"$GGUF" name "T[31m-1M-v1.0.gguf"
