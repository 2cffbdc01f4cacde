"$GGUF" export
"$GGUF" export in.gguf
"$GGUF" export in.gguf -o ''
"$GGUF" export in.gguf --raw --npy -o out
"$GGUF" export in.gguf --raw -o out.safetensors
"$GGUF" export in.gguf --npy -o out.safetensors
"$GGUF" export no.gguf -o out
echo $?
ls -A
