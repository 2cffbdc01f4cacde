"$GGUF" diff - -
