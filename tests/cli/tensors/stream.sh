# Where a long stream ends, nobody knows, nor how big the last tensor is.
stream() {
    cat "$FILES/odd/d20-opaque-last.gguf"
    head -c 1000000 /dev/zero
}
"$GGUF" tensors - <"$FILES/odd/d20-opaque-last.gguf"
stream | "$GGUF" tensors -
stream | "$GGUF" tensors --sort size -
stream | "$GGUF" tensors --json -
