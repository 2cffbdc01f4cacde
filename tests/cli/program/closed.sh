"$GGUF" info --demo >&-
