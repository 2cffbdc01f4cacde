"$GGUF" dump
