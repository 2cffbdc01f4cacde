"$GGUF" copy in.gguf
echo $?
"$GGUF" copy --in-place in.gguf out.gguf
echo $?
"$GGUF" copy in.gguf out.gguf -o other.gguf
echo $?
"$GGUF" copy --align 24 in.gguf out.gguf
echo $?
"$GGUF" copy --align 4294967296 "$FILES/good/one-tensor.gguf" out.gguf
echo $?
"$GGUF" copy --in-place -
echo $?
