"$GGUF" fix "$FILES/odd/d19-key-thrice.gguf" -o out.gguf
echo $?
ls -A
