# Of a stream that goes on, nobody knows how many bytes are left.
check() {
    {
        printf "$1"
        dd if=/dev/zero bs=65536 count=64 2>/dev/null
    } | "$GGUF" check - || echo $?
}
check 'GGUF\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\040'
check 'GGUF\3\0\0\0\0\0\0\0\0\0\0\040\0\0\0\0\0\0\0\0'
check 'GGUF\3\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\377\377\377\377\377\377\377\377'
