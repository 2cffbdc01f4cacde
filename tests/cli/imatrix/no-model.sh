"$IMPORTANCES"
"$GGUF" info prose.gguf
"$GGUF" check prose.gguf
"$GGUF" check --json prose.gguf
