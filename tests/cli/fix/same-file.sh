cp "$FILES/odd/d10-v2.gguf" a.gguf
"$GGUF" fix --force a.gguf -o ./a.gguf
echo $?
cmp a.gguf "$FILES/odd/d10-v2.gguf"
