# needs: terminal
"$ON_TERMINAL" 80 "$GGUF" keys --color=never "$FILES/worked/worked-arrays.gguf"
