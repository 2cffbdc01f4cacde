# Of an array of 1000 empty arrays, six are shown as of any other.
{
    printf 'GGUF\003\0\0\0\0\0\0\0\0\0\0\0\001\0\0\0\0\0\0\0'
    printf '\001\0\0\0\0\0\0\0k\011\0\0\0\011\0\0\0\350\003\0\0\0\0\0\0'
    for _ in $(seq 1000); do
        printf '\004\0\0\0\0\0\0\0\0\0\0\0'
    done
} >many.gguf
"$GGUF" dump many.gguf
"$GGUF" dump --json many.gguf
