# A prefix is no format and no option, and stays where it is.
"$GGUF" split -q --max-tensors 9 "$FILES/good/llama.gguf" '%s%n%d'
"$GGUF" split -q --max-tensors 9 "$FILES/good/llama.gguf" -- -rf
"$GGUF" split -q --max-tensors 9 "$FILES/good/llama.gguf" -o 'a b.gguf'
mkdir folder
"$GGUF" split -q --max-tensors 9 "$FILES/good/llama.gguf" folder/p
"$GGUF" split -q --max-tensors 9 "$FILES/good/llama.gguf" nowhere/p
echo "exit status $?"
long=$(printf '%0300d' 0)
"$GGUF" split -q --max-tensors 9 "$FILES/good/llama.gguf" "$long" 2>&1 |
    sed 's/0\{200,\}/.../'
"$GGUF" split -q --max-tensors 9 "$FILES/good/llama.gguf" "${long%?????????????????????????????????????????????????????????????????}"
find . | sort | sed 's/0\{200,\}/.../'
