cp "$FILES/worked/worked-written.gguf" m.gguf
cat >j <<'END'
{"general.name": "two\u0000\ud83d\ude00", "llama.embedding_length": 128,
 "a.typed": {"type": "INT64", "value": -9223372036854775808},
 "a.bytes": {"base64": "/w=="}, "a.f": {"type": "FLOAT64", "value": "-inf"},
 "a.list": {"type": "ARRAY", "elem_type": "UINT8", "value": [1, 2]},
 "a.max": 18446744073709551615, "a.none": {"type": "ARRAY",
 "elem_type": "STRING", "n": 0, "value": []}}
END
"$GGUF" set --rewrite m.gguf --from-json j
"$GGUF" set --rewrite m.gguf --from-json j
for name in worked/worked-written worked/worked-scalars odd/d15-nested; do
    cp "$FILES/$name.gguf" n.gguf
    "$GGUF" dump --json --full n.gguf | "$GGUF" set --rewrite n.gguf --from-json -
    cmp n.gguf "$FILES/$name.gguf"
done
"$GGUF" get --json m.gguf general.name | "$GGUF" set --rewrite n.gguf --from-json -
# A zero keeps its sign where it is a float.
echo '{"z.a": {"type": "FLOAT32", "value": -0}, "z.b": [-0, 1.5], "z.c": -0}' >z
"$GGUF" set --rewrite m.gguf --from-json z
"$GGUF" set --rewrite m.gguf --type 'FLOAT64[]' 'other=[0, -0]'
