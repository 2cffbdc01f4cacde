cp "$FILES/worked/worked-written.gguf" m.gguf
for word in split.count=2 general.padding=x general.alignment=24 \
    general.alignment=0 =5 word; do
    "$GGUF" set --rewrite m.gguf "$word"
    echo "$word: $?"
done
"$GGUF" set m.gguf
echo $?
"$GGUF" set --rewrite m.gguf a=1 a=2
echo $?
"$GGUF" set --rewrite m.gguf 'tokenizer.ggml.tokens[+]=1' 'tokenizer.ggml.tokens=["a"]'
echo $?
"$GGUF" set --rewrite m.gguf 'tokenizer.ggml.tokens[0]=1' 'tokenizer.ggml.tokens[0]=2'
echo $?
"$GGUF" set --rewrite m.gguf a=1 llama.embedding_length=-1
echo $?
"$GGUF" set --rewrite - a=1
echo $?
"$GGUF" set --rewrite missing.gguf a=1
echo $?
"$GGUF" set --rewrite "$FILES/odd/d19-key-twice.gguf" llama.context_length=1
echo $?
cmp m.gguf "$FILES/worked/worked-written.gguf"
ls -A
