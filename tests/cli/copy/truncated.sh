head -c 5000 "$FILES/good/llama.gguf" >cut.gguf
"$GGUF" copy cut.gguf out.gguf
status=$?
ls -A
exit $status
