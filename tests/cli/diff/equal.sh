"$PAIRS" equal
"$GGUF" diff a.gguf b.gguf &&
    "$GGUF" diff -n a.gguf b.gguf &&
    "$GGUF" diff -q a.gguf b.gguf &&
    ln b.gguf c.gguf && ln -s b.gguf d.gguf &&
    "$GGUF" diff b.gguf c.gguf && "$GGUF" diff d.gguf b.gguf
