cp "$FILES/words/words-plain.gguf" "model.gguf"
"$GGUF" name "model.gguf"
