# One error is one, not "1 errors".
cp "$FILES/worked/worked-written.gguf" m.gguf
"$GGUF" set --rewrite -q m.gguf --type 'STRING[]' 'a.list=["b"]'
"$GGUF" set --rewrite m.gguf 'a.list[1]=c'
printf '\200' | "$GGUF" set --rewrite -q m.gguf --file general.name=-
"$GGUF" fix m.gguf -o out.gguf
