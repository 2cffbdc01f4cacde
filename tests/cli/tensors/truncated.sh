"$GGUF" tensors "$FILES/wrong/truncated-data.gguf" "*norm*"
