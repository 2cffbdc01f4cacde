"$GGUF" info --demo --json
