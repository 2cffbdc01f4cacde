cp "$FILES/worked/worked-written.gguf" m.gguf
echo '{"a=b": 1, "k[0]": 2, "k": [3, 4]}' | "$GGUF" set --rewrite m.gguf --force --from-json -
"$GGUF" set --rewrite m.gguf a=b=5 'k[0]=6' 'k[1]=7'
"$GGUF" set --rewrite m.gguf a=c b=c=d
"$GGUF" set --rewrite m.gguf a=b=8
"$GGUF" rm --rewrite m.gguf 'k[0]'
"$GGUF" set --rewrite m.gguf 'k[0]=9'
