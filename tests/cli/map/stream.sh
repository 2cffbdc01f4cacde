# A short stream is as good as a file; of a long one nobody knows the end.
stream() {
    cat "$FILES/$1"
    head -c 1000000 /dev/zero
}
"$GGUF" map - <"$FILES/worked/worked-layout.gguf"
stream worked/worked-layout.gguf | "$GGUF" map -
stream worked/worked-layout.gguf | "$GGUF" map --json -
stream odd/d20-opaque-last.gguf | "$GGUF" map -
stream odd/d20-opaque-last.gguf | "$GGUF" map --json -
stream worked/worked-notensors.gguf | "$GGUF" map -
