# What is done, or refused, with a word about what was probably meant.
cat >s.json <<'J'
{"keys": {"general.architecture": "llama", "llama.context_length": 8,
 "llama.embedding_length": 8, "llama.block_count": 1,
 "llama.feed_forward_length": 8, "llama.attention.head_count": 1,
 "llama.attention.layer_norm_rms_epsilon": 1e-5,
 "llama.rope.dimension_count": 8,
 "tokenizer.ggml.tokens": ["<s>", "</s>", "the"],
 "tokenizer.ggml.scores": {"type": "ARRAY", "elem_type": "FLOAT32",
   "value": [0, 0, 0]},
 "tokenizer.ggml.token_type": {"type": "ARRAY", "elem_type": "INT32",
   "value": [3, 3, 1]}}}
J
"$GGUF" new -q --spec s.json -o m.gguf
try() {
    { "$GGUF" "$@" >/dev/null; } 2>&1
    echo "status $?"
}
try rm m.gguf --dry-run 'llama.*'
try rm m.gguf --dry-run llama.attention.head_count --force
try rename m.gguf --dry-run llama.block_count llama.blocks
try rename m.gguf --dry-run general.architecture general.arch
try set m.gguf --dry-run --token eos=the
try set m.gguf --dry-run tokenizer.ggml.bos_token_id=2
try set m.gguf --dry-run --token 'eos=</s>'
try set m.gguf --dry-run --token eos=the 'tokenizer.ggml.token_type[2]=3'
try set m.gguf --dry-run tokenizer.ggml.eos_token_id='</s>'
try set m.gguf --dry-run 'tokenizer.ggml.tokens[+]=a'
try set m.gguf --dry-run 'tokenizer.ggml.scores[+]=1' 'tokenizer.ggml.scores[+]=2'
try set m.gguf --dry-run tokenizer.ggml.token_type='[1]'
try set m.gguf --dry-run 'tokenizer.ggml.tokens[+]=a' \
    'tokenizer.ggml.scores[+]=1' 'tokenizer.ggml.token_type[+]=1'
try set m.gguf --dry-run general.sampling.temperature=0.5
try set m.gguf --dry-run general.sampling.temp_x=0.5
