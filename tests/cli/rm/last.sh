"$GGUF" copy -q "$FILES/good/empty.gguf" m.gguf
"$GGUF" set --rewrite m.gguf a.key=1
"$GGUF" rm --rewrite m.gguf '*'
cmp m.gguf "$FILES/good/empty.gguf"
