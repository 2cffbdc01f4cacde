"$GGUF" merge "$FILES/odd/d26-normal/m-00002-of-00003.gguf" whole.gguf
"$GGUF" merge --json --dry-run "$FILES/odd/d26-normal" -o other.gguf
"$GGUF" dump whole.gguf
ls
