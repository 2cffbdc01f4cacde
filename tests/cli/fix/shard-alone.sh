"$GGUF" fix "$FILES/odd/d26-missing/m-00001-of-00003.gguf" -o out.gguf
echo $?
"$GGUF" fix --single "$FILES/odd/d26-missing/m-00001-of-00003.gguf" -o out.gguf
