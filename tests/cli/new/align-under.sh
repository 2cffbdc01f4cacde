# An alignment that llama.cpp stops at is only made by force.
try() {
    "$GGUF" "$@"
    echo $?
}
echo '{"alignment": 8}' >a.json
echo '{"keys": {"general.alignment": 16}}' >b.json
echo '{}' >c.json
try new o.gguf --spec a.json
try new o.gguf --spec b.json
try new o.gguf --align 4 --spec c.json
try new -q o.gguf --align 32 --spec a.json
try new -q o.gguf --force --spec a.json
