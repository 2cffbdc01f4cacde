"$GGUF" name - <"$FILES/words/words-keys.gguf"
