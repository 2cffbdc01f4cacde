"$GGUF" check --rules | head -n 5
"$GGUF" check --rules --json | head -c 300
