# Nothing to recover: no journal, or what none of ours can be.
cp "$FILES/worked/worked-written.gguf" m.gguf
try() {
    "$GGUF" recover "$@"
    echo "status $?"
}
try m.gguf
try --dry-run m.gguf
try --json m.gguf
try -q m.gguf
try missing.gguf
try .
try
try m.gguf m.gguf
cmp m.gguf "$FILES/worked/worked-written.gguf"
ls -A
