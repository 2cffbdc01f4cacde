# Two tensors of one name cannot both be written; one of them neither.
"$GGUF" export "$FILES/odd/d19-tensor-twice.gguf" -o out
echo $?
"$GGUF" export "$FILES/odd/d19-tensor-twice.gguf" -o out.safetensors
echo $?
ls -A
