cp "$FILES/worked/worked-written.gguf" m.gguf
"$GGUF" set --rewrite m.gguf a.key=1 --backup
cmp m.gguf.bak "$FILES/worked/worked-written.gguf"
"$GGUF" set --rewrite m.gguf a.key=2 --backup
echo $?
"$GGUF" get m.gguf a.key
"$GGUF" set --rewrite m.gguf a.key=2 --backup --force
ls -A
