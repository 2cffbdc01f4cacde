# needs: terminal
cp "$FILES/words/words-keys.gguf" Tiny-1M-v1.0-Q8_0.gguf
"$ON_TERMINAL" 44 "$GGUF" name --color never Tiny-1M-v1.0-Q8_0.gguf
