# One error is one, not "1 errors".
cp "$FILES/worked/worked-written.gguf" m.gguf
"$GGUF" set -q m.gguf --type 'STRING[]' 'a.list=["b"]'
"$GGUF" set m.gguf 'a.list[1]=c'
printf '\200' | "$GGUF" set -q m.gguf --file general.name=-
"$GGUF" fix m.gguf -o out.gguf
