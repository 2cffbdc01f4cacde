# Work that a signal ends, ends by that signal: 64 GiB of nothing take longer.
{
    printf 'GGUF\3\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
    printf '\1\0\0\0\0\0\0\0t\1\0\0\0\0\0\0\0\20\0\0\0\30\0\0\0\0\0\0\0\0\0\0\0'
} >model.gguf
truncate -s 68719476800 model.gguf
for way in '' --content; do
    "$GGUF" hash $way model.gguf &
    sleep 0.3
    kill -TERM "$!"
    wait "$!" 2>/dev/null
    echo "$?"
done
