"$GGUF" fix -v --dry-run "$FILES/hex/arrays.gguf"
