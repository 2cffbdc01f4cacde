# Names with bytes that are not printed, as they are and as we print them.
for name in odd/d12-name hostile/e27-escape hostile/e43-name-paths; do
    "$GGUF" hash -t "$FILES/$name.gguf" >manifest
    cat manifest
    "$GGUF" hash -c manifest "$FILES/$name.gguf"
done
