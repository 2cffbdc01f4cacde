"$GGUF" copy -q "$FILES/good/one-tensor.gguf" out.gguf
"$GGUF" copy "$FILES/good/empty.gguf" out.gguf
status=$?
cmp out.gguf "$FILES/good/one-tensor.gguf"
exit $status
