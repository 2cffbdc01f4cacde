"$GGUF" map "$FILES/good/empty.gguf"
"$GGUF" map "$FILES/good/empty-padded.gguf"
"$GGUF" map --entries "$FILES/good/empty-v1.gguf"
