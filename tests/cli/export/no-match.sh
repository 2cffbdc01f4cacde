"$GGUF" export "$FILES/good/llama.gguf" attn_q -o out
echo $?
"$GGUF" export "$FILES/good/empty.gguf" -o out
echo $?
"$GGUF" export "$FILES/good/empty.gguf" -o out.safetensors
echo $?
ls -A
