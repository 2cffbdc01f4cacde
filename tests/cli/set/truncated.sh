head -c 5000 "$FILES/good/llama.gguf" >cut.gguf
"$GGUF" set --rewrite cut.gguf a.key=1
echo $?
ls -A
