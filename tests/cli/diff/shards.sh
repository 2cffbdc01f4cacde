"$PAIRS" shards
"$GGUF" diff a-00002-of-00002.gguf b.gguf &&
    "$GGUF" diff -v b.gguf a-00001-of-00002.gguf
