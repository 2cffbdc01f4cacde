cp "$FILES/words/words-long.gguf" "model.gguf"
"$GGUF" name --build model.gguf
