cp "$FILES/words/words-experts.gguf" "x.gguf"
"$GGUF" name --build x.gguf
