# What llama.cpp will not load is written, and told of.
echo '{"tensors": [{"name": "w", "type": "F32", "shape": [1,1,1,1,2], "fill": 0}]}' |
    "$GGUF" new five.gguf --spec -
"$GGUF" check -q five.gguf
echo $?
