cp "$FILES/odd/d15-nested.gguf" m.gguf
"$GGUF" keys m.gguf
key=x.n
"$GGUF" set m.gguf "${key}[0]=[7,8,9]"
"$GGUF" set m.gguf "${key}[+]=[]"
"$GGUF" set m.gguf "${key}[0]=7"
echo $?
"$GGUF" set m.gguf "$key=[1]"
echo $?
"$GGUF" dump --no-tensors m.gguf
