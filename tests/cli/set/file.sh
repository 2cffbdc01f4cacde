cp "$FILES/worked/worked-written.gguf" m.gguf
printf 'no line end\n\nbut here\n' >t
"$GGUF" set --rewrite m.gguf --file tokenizer.chat_template=t
"$GGUF" get --raw m.gguf tokenizer.chat_template | cmp - t
printf '\377\0' | "$GGUF" set --rewrite m.gguf --file a.text=- --file \
    tokenizer.ggml.precompiled_charsmap=t
printf '\377\0' | "$GGUF" set --rewrite m.gguf --file a.text=-
"$GGUF" set --rewrite m.gguf --file llama.embedding_length=t
echo $?
"$GGUF" set --rewrite m.gguf --file a.none=missing
echo $?
"$GGUF" set --rewrite m.gguf --file a.none=.
echo $?
: >t
"$GGUF" set --rewrite m.gguf --file tokenizer.chat_template=t
