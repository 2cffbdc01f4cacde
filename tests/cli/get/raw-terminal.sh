# needs: terminal
"$ON_TERMINAL" 80 "$GGUF" get --raw "$FILES/worked/worked-written.gguf" general.name
