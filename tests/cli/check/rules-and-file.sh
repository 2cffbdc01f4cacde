"$GGUF" check --rules x.gguf
