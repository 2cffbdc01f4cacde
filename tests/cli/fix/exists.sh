echo old > out.gguf
"$GGUF" fix "$FILES/odd/d10-v2.gguf" -o out.gguf
echo $?
cat out.gguf
"$GGUF" fix -q --force "$FILES/odd/d10-v2.gguf" -o out.gguf && "$GGUF" check -q out.gguf
