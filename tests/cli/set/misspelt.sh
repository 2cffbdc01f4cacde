# Of a key that is not there, what was probably meant.
exec 2>&1
cp "$FILES/good/llama.gguf" m.gguf
"$GGUF" set m.gguf gxneral.name=x | head -n 1
"$GGUF" set --dry-run m.gguf llama.context_lenght=9 | head -n 1
"$GGUF" set --dry-run m.gguf general.tags=x my.own=1 | head -n 2
"$GGUF" set m.gguf 'tokenizer.ggml.token[+]=x'
"$GGUF" set m.gguf 'my.array[+]=x'
echo "$?"
"$GGUF" set -q m.gguf --type 'STRING[]' 'my.array=["a"]'
"$GGUF" set -q m.gguf 'my.array[+]=x'
"$GGUF" get m.gguf my.array
"$GGUF" rm m.gguf general.nam
"$GGUF" rm --tensor m.gguf token_emb.weight
"$GGUF" rm --tensor m.gguf blk.99.attn_q.weight
"$GGUF" rename m.gguf general.nam general.other
"$GGUF" rename --tensor m.gguf attn_q.weight x
