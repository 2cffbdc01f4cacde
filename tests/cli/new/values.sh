# Every type of value and of number.
cat >s.json <<'END'
{"version": 3, "byte_order": "little", "alignment": 64, "keys": [
{"key": "a.u8", "type": "UINT8", "value": 255},
{"key": "a.i8", "type": "INT8", "value": -128},
{"key": "a.u16", "type": "UINT16", "value": 65535},
{"key": "a.i16", "type": "INT16", "value": -32768},
{"key": "a.u32", "value": 4294967295},
{"key": "a.i32", "value": -2147483648},
{"key": "a.u64", "value": 18446744073709551615},
{"key": "a.i64", "value": -9223372036854775808},
{"key": "a.f32", "value": 0.1},
{"key": "a.f64", "type": "FLOAT64", "value": 0.1},
{"key": "a.wide", "value": 1e300},
{"key": "a.nan", "type": "FLOAT32", "value": "nan"},
{"key": "a.inf", "type": "FLOAT64", "value": "-inf"},
{"key": "a.bool", "value": true},
{"key": "a.text", "value": "a\u0000b\u202e\ud83d\ude00"},
{"key": "a.bytes", "value": {"base64": "/8A="}},
{"key": {"base64": "YS7/"}, "value": {"base64": ""}},
{"key": "llama.block_count", "value": 3},
{"key": "llama.attention.head_count", "value": [4, 8]},
{"key": "a.none", "type": "ARRAY", "elem_type": "STRING", "n": 0, "value": []},
{"key": "a.list", "type": "INT8[]", "value": [-1, 127]},
{"key": "a.nested", "type": "UINT8[][]", "value": [[1, 2], [], [255]]},
{"key": "a.mixed", "type": "ARRAY", "elem_type": "ARRAY", "inner_types":
 ["UINT8", "ARRAY", "STRING", "ARRAY", "ARRAY", "INT8"],
 "value": [[1], [["a"], []], [[-1]]]},
{"key": "a.arrays", "type": "ARRAY", "elem_type": "ARRAY", "value": []}],
"tensors": [
{"name": "f32", "type": "F32", "values": [0.1, -0.0, "nan", "-inf", 16777217]},
{"name": "f64", "type": "F64", "shape": [2, 2], "values": [0.1, 1e300, 1, 2]},
{"name": "f16", "type": "F16", "values": [1, 65504, 65519.99, 2049, 2051,
 6e-8, 2.9802322387695312e-8, 2.99e-8, -0.0, "inf", "nan", 0.333251953125]},
{"name": "bf16", "type": "BF16", "values": [1, 1.00390625, 1.01171875, 3.3e38,
 1e-45, "-inf"]},
{"name": "i8", "type": "I8", "values": [-128, 127]},
{"name": "i16", "type": "I16", "values": [-32768, 32767]},
{"name": "i32", "type": "I32", "values": [-2147483648]},
{"name": "i64", "type": "I64", "values": [9223372036854775807, -1]},
{"name": "scalar", "type": "F32", "shape": [], "fill": 2},
{"name": "empty", "type": "F32", "shape": [4, 0], "fill": 2},
{"name": "fill16", "type": "I16", "shape": [3], "fill": 513}]}
END
"$GGUF" new --force o.gguf --spec s.json
"$GGUF" dump --json --full o.gguf
hex() {
    at=$("$GGUF" tensors --json o.gguf "$1" | jq '.tensors[0].offset')
    n=$("$GGUF" tensors --json o.gguf "$1" | jq '.tensors[0].bytes')
    printf '%s ' "$1"
    tail -c +$((at + 1)) o.gguf | head -c "$n" | od -An -v -tx1 | tr -d '\n'
    echo
}
for name in f32 f64 f16 bf16 i8 i16 i32 i64 scalar fill16; do
    hex "$name"
done
sed 's/"little"/"big"/' s.json >big.json
"$GGUF" new --force big.gguf -q --spec big.json
"$GGUF" copy -q --byte-order big o.gguf as-copied.gguf
cmp big.gguf as-copied.gguf
sed 's/"version": 3/"version": 2/' s.json >two.json
"$GGUF" new --force two.gguf -q --spec two.json
"$GGUF" copy -q --version 2 o.gguf as-copied.gguf --force
cmp two.gguf as-copied.gguf
"$GGUF" new --force al.gguf --align 128 --spec s.json
