cp "$FILES/odd/d07-trailing.gguf" a.gguf
"$GGUF" fix --force --in-place --backup a.gguf
echo $?
ls -A
cmp a.gguf.bak "$FILES/odd/d07-trailing.gguf"
