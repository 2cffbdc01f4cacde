# An alignment that the format does not allow, or that makes a model huge.
cp "$FILES/good/one-tensor.gguf" m.gguf
try() {
    "$GGUF" "$@" --rewrite
    echo $?
}
try set m.gguf general.alignment=1
try set m.gguf general.alignment=2147483648
try set m.gguf general.alignment=16
try set m.gguf --type UINT32 a.b=4
try rename m.gguf a.b general.alignment
try set -q m.gguf general.alignment=1048576
try set -q m.gguf general.alignment=1 --force
try set -q m.gguf a.b=5
try rm -q m.gguf general.alignment
