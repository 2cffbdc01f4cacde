# A file on standard input will do, a pipe will not.
"$GGUF" split -q --max-tensors 9 - part <"$FILES/good/llama.gguf"
"$GGUF" merge -q part-*.gguf whole.gguf
"$GGUF" copy -q "$FILES/good/llama.gguf" copy.gguf
cmp whole.gguf copy.gguf
# shellcheck disable=SC2002 # a pipe is meant
cat "$FILES/good/llama.gguf" | "$GGUF" split -q --max-tensors 9 - pipe
echo "exit status $?"
ls
