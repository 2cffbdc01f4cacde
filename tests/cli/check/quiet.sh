"$GGUF" check -q "$FILES/good/types.gguf"
"$GGUF" check -q "$FILES/features/features-v3.gguf"
