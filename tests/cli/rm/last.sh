"$GGUF" copy -q "$FILES/good/empty.gguf" m.gguf
"$GGUF" set m.gguf a.key=1
"$GGUF" rm m.gguf '*'
cmp m.gguf "$FILES/good/empty.gguf"
