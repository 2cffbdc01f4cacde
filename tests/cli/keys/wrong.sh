"$GGUF" keys "$FILES/wrong/zip.gguf"
