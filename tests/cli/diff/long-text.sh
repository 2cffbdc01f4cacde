"$PAIRS" long-text
"$GGUF" diff a.gguf b.gguf && exit 70
"$GGUF" diff --full a.gguf b.gguf | wc -l
