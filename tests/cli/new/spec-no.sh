# Descriptions that are none: what is said of each.
printf '\001\002\003\004' >raw
while read -r text; do
    printf '%s' "$text" >s.json
    "$GGUF" new o.gguf --spec s.json 2>&1
    echo "$text: $?"
done <<'END'

[1]
{"keys": {"a": 1}} x
{"key": 1}
{"version": 1}
{"version": "3"}
{"version": 2, "byte_order": "big"}
{"byte_order": "middle"}
{"alignment": 24}
{"alignment": -1}
{"alignment": 64, "keys": {"general.alignment": 32}}
{"keys": 1}
{"keys": [1]}
{"keys": [{"value": 1}]}
{"keys": [{"key": "a"}]}
{"keys": [{"key": "", "value": 1}]}
{"keys": [{"key": 1, "value": 1}]}
{"keys": [{"key": "a", "value": 1}, {"key": "b", "value": 1}, {"key": "a", "value": 2}]}
{"keys": {"a": 1, "a": 1}}
{"keys": {"a": null}}
{"keys": {"a": []}}
{"keys": {"a": [[], []]}}
{"keys": {"a": {"type": "ARRAY", "elem_type": "ARRAY", "value": [[1]]}}}
{"keys": {"a": {"type": "ARRAY", "elem_type": "ARRAY", "inner_types": ["UINT8"], "value": [[1], 2]}}}
{"keys": {"a": {"type": "ARRAY", "elem_type": "ARRAY", "inner_types": ["UINT8[]"], "value": [[1]]}}}
{"keys": {"a": {"type": "ARRAY", "elem_type": "ARRAY", "inner_types": ["UINT8"], "value": [[256]]}}}
{"keys": {"a": {"type": "ARRAY", "elem_type": "ARRAY", "inner_types": "UINT8", "value": [[1]]}}}
{"keys": {"a": {"type": "ARRAY", "elem_type": "ARRAY", "inner_types": [8], "value": [[1]]}}}
{"keys": {"a": {"type": "ARRAY", "elem_type": "ARRAY", "inner_types": [], "value": [[1]]}}}
{"keys": {"a": {"type": "ARRAY", "elem_type": "ARRAY", "inner_types": ["INT8", "INT8"], "value": [[1]]}}}
{"keys": {"a": {"type": "ARRAY", "elem_type": "ARRAY", "inner_types": ["UINT8", "ARRAY"], "value": [[1], [1]]}}}
{"keys": {"a": {"type": "ARRAY", "elem_type": "UINT8", "inner_types": ["UINT8"], "value": [1]}}}
{"keys": {"a": {"type": "UINT8[][]", "inner_types": ["UINT8"], "value": [[1]]}}}
{"keys": {"a": {"type": "ARRAY", "elem_type": "ARRAY", "inner_types": ["ARRAY"], "value": [[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]}}}
{"keys": {"a": {"type": "ARRAY", "elem_type": "BYTE", "value": [1]}}}
{"keys": {"a": {"type": "UINT8", "elem_type": "UINT8", "value": 1}}}
{"keys": {"a": {"type": "UINT", "value": 1}}}
{"keys": {"a": {"type": "UINT8", "value": 256}}}
{"keys": {"a": {"type": "INT8[]", "value": [1, -129]}}}
{"keys": {"a": {"type": "BOOL", "value": 1}}}
{"keys": {"a": {"type": "FLOAT32", "value": 1e39}}}
{"keys": {"a": {"value": 1, "values": 1}}}
{"keys": {"a": {"value": [1], "shortened": true}}}
{"keys": {"general.alignment": 24}}
{"keys": {"a": [1, "x"]}}
{"tensors": {}}
{"tensors": [1]}
{"tensors": [{"type": "F32", "fill": 1}]}
{"tensors": [{"name": "", "fill": 1}]}
{"tensors": [{"name": "a", "fill": 1}]}
{"tensors": [{"name": "a", "type": "F32", "fill": 1}]}
{"tensors": [{"name": "a", "type": "F33", "shape": [1], "fill": 1}]}
{"tensors": [{"name": "a", "type": "Q4_2", "shape": [32], "fill": 1}]}
{"tensors": [{"name": "a", "type": "Q4_0", "shape": [32], "fill": 1}]}
{"tensors": [{"name": "a", "type": "Q4_0", "shape": [31], "raw": "raw"}]}
{"tensors": [{"name": "a", "type": "F32", "shape": [-1], "fill": 1}]}
{"tensors": [{"name": "a", "type": "F32", "shape": [1,1,1,1,1,1,1,1,1], "fill": 1}]}
{"tensors": [{"name": "a", "type": "F32", "shape": [4294967296, 4294967296], "fill": 1}]}
{"tensors": [{"name": "a", "type": "F32", "shape": 1, "fill": 1}]}
{"tensors": [{"name": "a", "type": "F32", "shape": [1]}]}
{"tensors": [{"name": "a", "type": "F32", "shape": [1], "fill": 1, "raw": "raw"}]}
{"tensors": [{"name": "a", "type": "F32", "shape": [1], "fill": 1, "offset": 0}]}
{"tensors": [{"name": "a", "type": "F32", "shape": [1], "fill": "1"}]}
{"tensors": [{"name": "a", "type": "F16", "shape": [1], "fill": 65520}]}
{"tensors": [{"name": "a", "type": "I8", "shape": [1], "fill": 128}]}
{"tensors": [{"name": "a", "type": "I8", "shape": [1], "fill": 1.0}]}
{"tensors": [{"name": "a", "type": "BF16", "values": [1, 3.4e38]}]}
{"tensors": [{"name": "a", "type": "F32", "shape": [2], "values": [1]}]}
{"tensors": [{"name": "a", "type": "F32", "values": 1}]}
{"tensors": [{"name": "a", "type": "I8", "shape": [4], "raw": "none"}]}
{"tensors": [{"name": "a", "type": "I8", "shape": [4], "raw": "."}]}
{"tensors": [{"name": "a", "type": "I8", "shape": [4], "raw": "a\u0000b"}]}
{"tensors": [{"name": "a", "type": "I8", "shape": [5], "raw": "raw"}]}
{"tensors": [{"name": "a", "type": "I8", "shape": [3], "raw": "raw"}]}
{"tensors": [{"name": "a", "type": "I8", "shape": [3], "raw": "raw", "offset": 2}]}
{"tensors": [{"name": "a", "type": "I8", "shape": [1], "raw": "raw", "offset": 18446744073709551615}]}
{"tensors": [{"name": "a", "type": "I8", "shape": [4], "raw": "raw", "bytes": 5}]}
{"tensors": [{"name": "a", "type": "I8", "shape": [1], "fill": 1}, {"name": "a", "type": "I8", "shape": [1], "fill": 1}]}
{"file": "raw", "n_shards": 2, "tensors": [{"name": "a", "type": "I8", "shape": [4], "offset": 0}]}
{"file": "raw", "tensors": [{"name": "a", "type": "I8", "shape": [4], "tensor": "x"}]}
END
ls -A
