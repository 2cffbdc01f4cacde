# KEY[I] is what set takes; get has --index.
"$GGUF" get "$FILES/good/vocab.gguf" 'tokenizer.ggml.tokens[2]'
"$GGUF" get "$FILES/good/vocab.gguf" 'tokenizer.ggml.tokens[0:2]'
"$GGUF" get "$FILES/good/vocab.gguf" 'tokenizer.ggml.tokens[]'
"$GGUF" get "$FILES/good/vocab.gguf" 'tokenizer.ggml.tokns[2]'
