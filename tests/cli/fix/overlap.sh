# Where tensors share bytes, something is wrong with them that no new layout
# puts right: the file is refused.
try() {
    printf %b "$2" | dd of=m.gguf bs=1 seek="$1" conv=notrunc 2>/dev/null
    "$GGUF" fix m.gguf -o out.gguf
    echo $?
    "$GGUF" fix --force --json m.gguf -o out.gguf
    echo $?
    cp "$FILES/clean/llama-data.gguf" m.gguf
}
cp "$FILES/odd/d02-same-place.gguf" m.gguf
try 0 GGUF
# An offset that is 8 too large, and 64 weights that became 300.
try 1256 '\0050'
try 1244 '\0054\0001'
ls -A
