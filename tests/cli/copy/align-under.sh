# Alignments that llama.cpp stops at are not made, but kept where they are.
try() {
    "$GGUF" "$@"
    echo $?
}
for align in 1 8 16 2M; do
    try copy --align $align "$FILES/good/llama.gguf" out.gguf
done
try copy -q --align 8 --force "$FILES/good/one-tensor.gguf" by-8.gguf
try copy -q by-8.gguf same.gguf
try copy -q --align 8 by-8.gguf same.gguf --force
cmp by-8.gguf same.gguf
rm same.gguf
try copy -q --align 8 by-8.gguf same.gguf
cmp by-8.gguf same.gguf
try copy --align 16 by-8.gguf out.gguf
try copy -q --align 32 by-8.gguf out.gguf
cmp out.gguf "$FILES/good/one-tensor.gguf"
"$GGUF" check "$FILES/good/align-8.gguf"
"$GGUF" fix -q "$FILES/good/align-8.gguf" -o fixed.gguf
"$GGUF" check "$FILES/good/align-8.gguf" fixed.gguf | tail -n 2
