"$GGUF" dump --json "$FILES/wrong/truncated-keys.gguf"
