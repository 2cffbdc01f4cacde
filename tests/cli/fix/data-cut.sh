"$GGUF" fix "$FILES/odd/d26-data-cut" -o out.gguf
echo $?
ls -A
