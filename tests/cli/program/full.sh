"$GGUF" info --demo >/dev/full
