cp "$FILES/words/words-long.gguf" "model.gguf"
"$GGUF" name "model.gguf"
