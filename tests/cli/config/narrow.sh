# needs: terminal
"$ON_TERMINAL" 72 "$GGUF" config --color never "$FILES/config/config-layers.gguf"
