cp "$FILES/worked/worked-written.gguf" m.gguf
"$GGUF" set --rewrite m.gguf --type int16 a.key=7 llama.embedding_length=64
echo $?
"$GGUF" set --rewrite m.gguf --type 'UINT8[]' a.bytes='[0,255]' a.none='[]'
echo $?
"$GGUF" set --rewrite m.gguf --type STRING a.text='[1]'
echo $?
"$GGUF" set --rewrite m.gguf a.none2='[]'
echo $?
"$GGUF" set --rewrite m.gguf --type 'UINT8[]' a.bytes='[256]'
echo $?
"$GGUF" set --rewrite m.gguf --type UINT33 a.key=7
echo $?
"$GGUF" set --rewrite m.gguf --type UINT64 'tokenizer.ggml.tokens[0]=7'
echo $?
