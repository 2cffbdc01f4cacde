mkdir empty two
cp "$FILES/clean/llama.gguf" two/a.gguf
"$GGUF" check two
cp two/a.gguf two/b.gguf
"$GGUF" check two
echo $?
"$GGUF" check empty
