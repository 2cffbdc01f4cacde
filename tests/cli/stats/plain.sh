"$QUANTIZABLE"
"$GGUF" stats nan.gguf
"$GGUF" stats --sort type -r model.gguf '*.0.attn*'
