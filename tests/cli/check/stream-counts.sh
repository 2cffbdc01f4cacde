# Of a stream that goes on, nobody knows how many bytes are left.
check() {
    {
        printf %b "$1"
        dd if=/dev/zero bs=65536 count=64 2>/dev/null
    } | "$GGUF" check - || echo $?
}
check 'GGUF\03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\040'
check 'GGUF\03\0\0\0\0\0\0\0\0\0\0\040\0\0\0\0\0\0\0\0'
check 'GGUF\03\0\0\0\0\0\0\0\0\0\0\0\01\0\0\0\0\0\0\0\0377\0377\0377\0377\0377\0377\0377\0377'
