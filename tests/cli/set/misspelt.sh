# Of a key that is not there, what was probably meant.
exec 2>&1
cp "$FILES/good/llama.gguf" m.gguf
"$GGUF" set --rewrite m.gguf gxneral.name=x | head -n 1
"$GGUF" set --rewrite --dry-run m.gguf llama.context_lenght=9 | head -n 1
"$GGUF" set --rewrite --dry-run m.gguf general.tags=x my.own=1 | head -n 2
"$GGUF" set --rewrite m.gguf 'tokenizer.ggml.token[+]=x'
"$GGUF" set --rewrite m.gguf 'my.array[+]=x'
echo "$?"
"$GGUF" set --rewrite -q m.gguf --type 'STRING[]' 'my.array=["a"]'
"$GGUF" set --rewrite -q m.gguf 'my.array[+]=x'
"$GGUF" get m.gguf my.array
"$GGUF" rm --rewrite m.gguf general.nam
"$GGUF" rm --rewrite --tensor m.gguf token_emb.weight
"$GGUF" rm --rewrite --tensor m.gguf blk.99.attn_q.weight
"$GGUF" rename --rewrite m.gguf general.nam general.other
"$GGUF" rename --rewrite --tensor m.gguf attn_q.weight x
