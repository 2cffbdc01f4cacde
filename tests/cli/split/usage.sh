# What no limit is, and no prefix.
for size in 0 -1 5X 99999999999G '' ' 5G' 1.5G 1e9; do
    "$GGUF" split --max-size "$size" "$FILES/good/llama.gguf" part
    echo "exit status $?"
done 2>&1 | grep -v '^try'
for words in '--max-tensors 0 A part' '--max-tensors -3 A part' 'A part' \
    '--max-tensors 1 A' '--max-tensors 1 A dir/' '--max-tensors 1 A -rf' \
    '--max-tensors 1 A part -o part' '--max-tensors 1 - part'; do
    # shellcheck disable=SC2086 # words are meant
    "$GGUF" split $words </dev/null
    echo "exit status $?"
done 2>&1 | grep -v '^try'
"$GGUF" split --max-tensors 1 "$FILES/good/llama.gguf" '' 2>&1
ls
