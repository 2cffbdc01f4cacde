# The input is not replaced while it is read.
cp "$FILES/good/one-tensor.gguf" model.safetensors
"$GGUF" export --force model.safetensors -o model.safetensors
echo $?
cmp model.safetensors "$FILES/good/one-tensor.gguf"
"$GGUF" export --force model.safetensors -o model.safetensors/
echo $?
cp model.safetensors w.bin
"$GGUF" export --force --raw w.bin -o .
echo $?
cmp w.bin "$FILES/good/one-tensor.gguf"
ls -A
