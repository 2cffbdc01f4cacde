# A hundred tensors that are one: a file of 4 MB would become one of 400.
{
    printf 'GGUF\003\0\0\0\144\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
    for i in 0 1 2 3 4 5 6 7 8 9; do
        for k in 0 1 2 3 4 5 6 7 8 9; do
            printf '\003\0\0\0\0\0\0\0t%d%d\001\0\0\0\0\0\100\0\0\0\0\0' "$i" "$k"
            printf '\030\0\0\0\0\0\0\0\0\0\0\0'
        done
    done
} >m.gguf
"$GGUF" tensors m.gguf 2>/dev/null | tail -1
truncate -s 4197856 m.gguf
cp m.gguf n.gguf
for command in 'copy m.gguf out.gguf' 'copy --dry-run m.gguf out.gguf' \
    'split --max-tensors 9 m.gguf new' 'fix m.gguf -o out.gguf' \
    'hash m.gguf' 'diff m.gguf n.gguf' 'set m.gguf a.key=1' 'stats m.gguf' \
    'merge m.gguf out.gguf'; do
    # shellcheck disable=SC2086 # words
    "$GGUF" $command
    echo $?
done
ls -A
"$GGUF" copy -q --keep 't0*' m.gguf out.gguf
