cp "$FILES/odd/d15-nested.gguf" m.gguf
"$GGUF" keys m.gguf
key=x.n
"$GGUF" set --rewrite m.gguf "${key}[0]=[7,8,9]"
"$GGUF" set --rewrite m.gguf "${key}[+]=[]"
"$GGUF" set --rewrite m.gguf "${key}[0]=7"
echo $?
"$GGUF" set --rewrite m.gguf "$key=[1]"
echo $?
"$GGUF" dump --no-tensors m.gguf
