"$GGUF" copy --dry-run "$FILES/good/one-tensor.gguf" out.gguf
"$GGUF" copy --dry-run --json "$FILES/good/one-tensor.gguf" out.gguf
ls -A
