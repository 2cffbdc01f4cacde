"$GGUF" fix "$FILES/odd/d26-data-cut" -o out.gguf
echo $?
ls -A
# The tensor that is cut is named.
head -c 10000 "$FILES/good/llama.gguf" >cut.gguf
"$GGUF" fix cut.gguf -o out.gguf
