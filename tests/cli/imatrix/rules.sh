"$GGUF" imatrix check --rules
"$GGUF" imatrix check --rules --json
