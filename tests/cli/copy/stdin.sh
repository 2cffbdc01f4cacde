# From a file, a pipe, and nowhere.
"$GGUF" copy -q - out.gguf <"$FILES/good/one-tensor.gguf"
cmp out.gguf "$FILES/good/one-tensor.gguf"
# shellcheck disable=SC2002 # a pipe is what is meant
cat "$FILES/good/one-tensor.gguf" | "$GGUF" copy - pipe.gguf
echo $?
"$GGUF" copy - none.gguf <&-
echo $?
ls -A
