# Bytes between the tensors would be lost like those behind them. Where they are
# zeros there may be as many as one likes.
try() {
    cp before m.gguf
    "$GGUF" "$@"
    echo "$?: $*"
    cmp -s before m.gguf && echo unchanged
}
cp "$FILES/odd/d01-gap.gguf" before
try set --rewrite -q m.gguf a.key=1
printf x | dd of=before bs=1 seek=440 conv=notrunc 2>/dev/null
try set --rewrite -q m.gguf a.key=1
try rm --rewrite -q --dry-run --tensor m.gguf b
try rename --rewrite -q --tensor m.gguf a c
try copy -q --in-place m.gguf
try fix -q --in-place m.gguf
try set --rewrite -q m.gguf a.key=1 -o out.gguf
try set --rewrite -q --backup m.gguf a.key=1
cmp before m.gguf.bak
cmp m.gguf out.gguf
try set --rewrite -q --force m.gguf a.key=1
cmp m.gguf out.gguf
# Padding is no different, behind the header and between tensors.
cp "$FILES/odd/d06-padding.gguf" before
try set --rewrite -q m.gguf a.key=1
for byte in 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 \
    151 152 153 154 155 156 157 158 159; do
    printf '\0' | dd of=before bs=1 seek=$byte conv=notrunc 2>/dev/null
done
try set --rewrite -q m.gguf a.key=1
