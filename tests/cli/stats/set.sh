# All shards, and from any of them.
"$QUANTIZABLE"
"$GGUF" stats set-00002-of-00002.gguf '*embd*'
"$GGUF" stats --sort name set-00001-of-00002.gguf '*.0.attn_?.*'
