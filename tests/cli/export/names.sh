# No name leads out of the folder; one is too long for a file.
"$GGUF" export -q "$FILES/hostile/e43-name-path.gguf" -o out
echo $?
"$GGUF" export -q "$FILES/hostile/e43-name-path.gguf" '*[!n]' -o out
"$GGUF" export -q "$FILES/hostile/e40-name-empty.gguf" -o none
echo $?
"$GGUF" export -q "$FILES/odd/d12-name.gguf" -o bytes
"$GGUF" export -q "$FILES/odd/d12-name.gguf" -o bytes.safetensors
echo $?
find . | sort
"$GGUF" export -q "$FILES/hostile/e43-name-path.gguf" '*[!n]' -o a.safetensors
head -c 850 a.safetensors | tr '}' '\n' | grep -a -o '"[^"]*":{' | sort
