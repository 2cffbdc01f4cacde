cp "$FILES/clean/llama.gguf" a.gguf &&
chmod u+w a.gguf &&
"$GGUF" set --rewrite -q --type UINT32 a.gguf llama.rope.freq_base=10000 &&
"$GGUF" set --rewrite -q --type STRING a.gguf tokenizer.ggml.add_bos_token=true &&
"$GGUF" set --rewrite -q --type UINT64 a.gguf general.file_type=1
"$GGUF" check --profile llama.cpp a.gguf
