"$GGUF" vocab --id 8:10 -i 0 -i 14: -i :1 -i 16: "$FILES/words/words-vocab.gguf"
