cp "$FILES/words/words-titled.gguf" "x.gguf"
"$GGUF" name --build x.gguf
