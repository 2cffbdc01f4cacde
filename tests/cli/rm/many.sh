# Many names, some of them of several keys, one of these with a NUL at its end.
{
    printf 'GGUF\3\0\0\0\0\0\0\0\0\0\0\0\6\0\0\0\0\0\0\0'
    for key in a b c a d; do
        printf '\1\0\0\0\0\0\0\0%s\0\0\0\0\7' "$key"
    done
    printf '\2\0\0\0\0\0\0\0b\0\0\0\0\0\7'
} >m.gguf
"$GGUF" rm --rewrite m.gguf d b a -o out.gguf
"$GGUF" rm --rewrite -q m.gguf a -o a.gguf
"$GGUF" keys a.gguf
