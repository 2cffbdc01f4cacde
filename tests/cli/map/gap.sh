"$GGUF" map "$FILES/odd/d01-gap.gguf"
"$GGUF" map "$FILES/odd/d01-gap-first.gguf"
"$GGUF" map --json "$FILES/odd/d01-gap.gguf"
