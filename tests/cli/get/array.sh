file=$FILES/worked/worked-written.gguf
"$GGUF" get "$file" tokenizer.ggml.tokens
"$GGUF" get "$file" tokenizer.ggml.tokens --index 1
"$GGUF" get "$file" tokenizer.ggml.tokens --index 1:
"$GGUF" get "$file" tokenizer.ggml.tokens --index :2
"$GGUF" get "$file" tokenizer.ggml.tokens --index 2:2
"$GGUF" get "$file" tokenizer.ggml.tokens --index 1:99
"$GGUF" get "$file" tokenizer.ggml.tokens --raw --index 1 | od -An -c
"$GGUF" get "$file" tokenizer.ggml.tokens --raw --index 1:3 | od -An -tx1
"$GGUF" get --json "$file" tokenizer.ggml.tokens
"$GGUF" get --json "$file" tokenizer.ggml.tokens --index 1
"$GGUF" get --json "$file" tokenizer.ggml.tokens --index 0:2
