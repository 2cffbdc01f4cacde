# The sign of a zero, of keys and of tensors, also where it is no float in JSON.
echo '{"keys": [{"key": "a", "type": "FLOAT32", "value": -0},
 {"key": "b", "type": "INT32", "value": -0}],
 "tensors": [{"name": "t", "type": "F32", "shape": [2], "values": [-0, 0]},
 {"name": "u", "type": "I32", "shape": [1], "values": [-0]}]}' >spec
"$GGUF" new -q m.gguf --spec spec
"$GGUF" get m.gguf a
"$GGUF" get m.gguf b
tail -c 64 m.gguf | head -c 40 | od -An -v -tx1
