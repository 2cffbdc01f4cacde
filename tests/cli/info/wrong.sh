for file in "$FILES"/wrong/*; do
    "$GGUF" info "$file" >out
    echo "$? $(wc -c <out)"
done 2>&1
