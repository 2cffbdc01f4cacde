# needs: terminal
"$ON_TERMINAL" 34 "$GGUF" vocab --color never --id 11:16 "$FILES/words/words-vocab.gguf"
