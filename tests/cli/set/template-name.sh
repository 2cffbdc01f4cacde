# The name of a file is no template; its text is.
cp "$FILES/worked/worked-written.gguf" m.gguf
echo '{{ messages }}' >chat.txt
for value in chat.txt @chat.txt ./chat.txt none.jinja @none.jinja \
    '{{ x }}.jinja' none.txt .; do
    "$GGUF" set --rewrite -q m.gguf "tokenizer.chat_template=$value"
    echo "$value: $?"
done
"$GGUF" set --rewrite -q m.gguf tokenizer.chat_template.tool_use=chat.txt
"$GGUF" set --rewrite -q m.gguf general.name=chat.txt
echo $?
"$GGUF" set --rewrite -q --force m.gguf tokenizer.chat_template=chat.txt
"$GGUF" get m.gguf tokenizer.chat_template
"$GGUF" set --rewrite -q m.gguf tokenizer.chat_template=chat.txt
echo $?
