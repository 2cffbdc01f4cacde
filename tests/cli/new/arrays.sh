# Arrays of numpy and of safetensors; their types and shapes.

# npy VERSION DESCR SHAPE - the header; data follows.
npy() {
    header="{'descr': '$2', 'fortran_order': False, 'shape': $3, }"
    # shellcheck disable=SC2059 # version and length are escapes
    printf "\\223NUMPY\\00$1\\000\\$(printf %03o ${#header})\\000"
    [ "$1" = 1 ] || printf '\000\000'
    printf %s "$header"
}

# safetensors JSON - the header; data follows.
safetensors() {
    # shellcheck disable=SC2059 # the length is an escape
    printf "\\$(printf %03o $((${#1} % 256)))\\$(printf %03o $((${#1} / 256)))"
    printf '\000\000\000\000\000\000%s' "$1"
}

mkdir in
{ npy 1 '<f4' '(2, 3)' && printf 'AAAABBBBCCCCDDDDEEEEFFFF'; } >in/f4.npy
{ npy 2 '>f4' '(2, 3)' && printf 'AAaaBBbbCCccDDddEEeeFFff'; } >in/big.npy
{ npy 3 '<i8' '(1,)' && printf '\001\002\003\004\005\006\007\010'; } >in/i8.npy
{ npy 1 '|i1' '()' && printf '\177'; } >in/scalar.npy
{ npy 1 '<f2' '(0, 4)'; } >in/empty.npy
{ npy 1 '|u1' '(2, 34)' &&
    printf '%068d' 0; } >in/blocks.npy
{ npy 1 '<u2' '(3,)' && printf '\200\077\000\100\100\100'; } >in/u2.npy
{ npy 1 '|V2' '(3,)' && printf '\200\077\000\100\100\100'; } >in/v2.npy
{ safetensors '{"__metadata__":{"format":"pt"},"a":{"dtype":"BF16","shape":[2,2],"data_offsets":[0,8]},"b":{"dtype":"U8","shape":[18],"data_offsets":[8,26]},"c":{"dtype":"F4","shape":[4],"data_offsets":[26,28]},"d":{"dtype":"F64","shape":[],"data_offsets":[28,36]}}' &&
    printf '%036d' 0; } >in/m.safetensors
cat >in/s.json <<'END'
{"tensors": [
{"name": "f4", "npy": "f4.npy"},
{"name": "f4 too", "type": "F32", "shape": [3, 2], "npy": "f4.npy"},
{"name": "big", "npy": "big.npy"},
{"name": "i8", "npy": "i8.npy"},
{"name": "scalar", "npy": "scalar.npy"},
{"name": "empty", "npy": "empty.npy"},
{"name": "blocks", "type": "Q8_0", "npy": "blocks.npy"},
{"name": "shaped blocks", "type": "Q8_0", "shape": [64], "npy": "blocks.npy"},
{"name": "u2", "type": "BF16", "npy": "u2.npy"},
{"name": "v2", "type": "F16", "shape": [3], "npy": "v2.npy"},
{"name": "a", "safetensors": "m.safetensors", "tensor": "a"},
{"name": "b", "type": "Q4_0", "safetensors": "m.safetensors", "tensor": "b"},
{"name": "d", "safetensors": "m.safetensors", "tensor": "d"}]}
END
"$GGUF" new o.gguf --spec in/s.json
"$GGUF" tensors o.gguf
at=$("$GGUF" tensors --json o.gguf big | jq '.tensors[0].offset')
tail -c +$((at + 1)) o.gguf | head -c 24
echo
tail -c +$((at - 31)) o.gguf | head -c 24
echo

# What must agree, and does not.
while read -r text; do
    printf '{"tensors": [{"name": "x", %s}]}' "$text" >in/s.json
    "$GGUF" new no.gguf --spec in/s.json 2>&1
    echo "$text: $?"
done <<'END'
"type": "F16", "npy": "f4.npy"
"shape": [2, 3], "npy": "f4.npy"
"shape": [3, 2, 1], "npy": "f4.npy"
"npy": "u2.npy"
"type": "F32", "npy": "u2.npy"
"type": "Q4_0", "npy": "v2.npy"
"type": "Q4_0", "npy": "blocks.npy"
"type": "Q8_0", "shape": [32], "npy": "blocks.npy"
"type": "Q8_0", "shape": [33], "npy": "blocks.npy"
"safetensors": "m.safetensors"
"safetensors": "m.safetensors", "tensor": "e"
"safetensors": "m.safetensors", "tensor": "c"
"safetensors": "m.safetensors", "tensor": "__metadata__"
"type": "F16", "safetensors": "m.safetensors", "tensor": "a"
"safetensors": "f4.npy", "tensor": "a"
"npy": "m.safetensors"
END
ls
