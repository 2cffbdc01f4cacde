"$GGUF" help info
