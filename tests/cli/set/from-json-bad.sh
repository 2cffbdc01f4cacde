cp "$FILES/worked/worked-written.gguf" m.gguf
while read -r text; do
    printf '%s' "$text" >j
    "$GGUF" set --rewrite m.gguf --from-json j
    echo "$text: $?"
done <<'END'

[1]
{"a": 1} x
{"a": 1, "a": 2}
{"a": 18446744073709551616}
{"a": nan}
{"a": null}
{"a": {"b": 1}}
{"a": {"value": 1, "b": 1}}
{"a": {"type": "UINT", "value": 1}}
{"a": {"type": "UINT8", "value": 256}}
{"a": {"value": [1], "shortened": true}}
{"a": {"base64": "/w"}}
{"a": {"base64": "/w=!"}}
{"a": [1, "x"]}
{"a": [1, [2]]}
{"a": [[1], 2]}
{"a": []}
{"": 1}
{"llama.embedding_length": "64"}
{"llama.embedding_length": 64.0}
{"tokenizer.ggml.tokens": ["a", 1]}
{"schema": 1, "command": "dump", "keys": 1}
{"schema": 1, "command": "dump", "keys": [1]}
{"schema": 1, "command": "dump", "keys": [{"key": 1, "value": 1}]}
{"schema": 1, "command": "get", "key": "a", "from": 0, "value": 1}
[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
{"a": [[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]}
END
cmp m.gguf "$FILES/worked/worked-written.gguf"
rm j
"$GGUF" set --rewrite m.gguf --from-json j
echo $?
ls -A
