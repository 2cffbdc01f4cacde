cp "$FILES/worked/worked-written.gguf" m.gguf
"$GGUF" set --rewrite m.gguf 'tokenizer.ggml.tokens[1]=[x]=y' 'tokenizer.ggml.tokens[+]=' \
    'tokenizer.ggml.tokens[+]=last'
for word in 'tokenizer.ggml.tokens[5]=x' 'general.name[0]=x' 'no.key[0]=x' \
    'no.key[+]=x' 'tokenizer.ggml.tokens[-1]=x'; do
    "$GGUF" set --rewrite -q m.gguf "$word"
    echo "$word: $?"
done
"$GGUF" keys m.gguf 'tokenizer*'
