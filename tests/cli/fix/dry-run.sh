cp "$FILES/odd/d24-no-version.gguf" a.gguf
"$GGUF" fix --dry-run a.gguf
ls -A
cmp a.gguf "$FILES/odd/d24-no-version.gguf"
