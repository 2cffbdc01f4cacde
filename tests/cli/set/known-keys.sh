cp "$FILES/worked/worked-written.gguf" m.gguf
"$GGUF" set --rewrite m.gguf llama.context_length=5 llama.rope.freq_base=10000 \
    general.file_type=mostly_q4_k_m general.version=1.0 general.tags='["a"]' \
    tokenizer.ggml.add_bos_token=true tokenizer.ggml.token_type='[1,1,3]' \
    tokenizer.ggml.scores='[0,-1,-2]' general.base_model.0.version=2 \
    llama.attention.head_count_kv='[4,0,4]' general.description='[no array]'
"$GGUF" set --rewrite m.gguf llama.block_count=-1
echo $?
"$GGUF" set --rewrite m.gguf llama.attention.causal=1
echo $?
"$GGUF" set --rewrite m.gguf general.file_type=q8_0 --dry-run
"$GGUF" set --rewrite m.gguf general.file_type=huge
echo $?
