"$GGUF" split --max-tensors 2 "$FILES/good/many.gguf" part | tail -2
"$GGUF" dump part-00002-of-*.gguf --single
