# Free space breaks no rule and repairs nothing; what is written anew has none.
for bytes in 1 65536 1Mi; do
    "$GGUF" copy -q "$FILES/good/llama.gguf" --reserve $bytes m.gguf --force
    "$GGUF" check m.gguf >padded
    echo "$bytes: $?"
    (cd "$FILES/good" && "$GGUF" check llama.gguf) >as-is
    sed 's/^m\.gguf/llama.gguf/' padded | diff as-is -
    "$GGUF" diff -q "$FILES/good/llama.gguf" m.gguf
    for file in "$FILES/good/llama.gguf" m.gguf; do
        "$GGUF" hash --content "$file" | cut -d ' ' -f 1
    done | uniq | wc -l
done
"$GGUF" fix m.gguf -o fixed.gguf >said || cat said
"$GGUF" keys fixed.gguf general.padding
echo $?
