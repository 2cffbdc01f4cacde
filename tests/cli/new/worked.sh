# The model of which every number was worked out by hand.
cp "$FILES/worked/worked-written.gguf" w.gguf
tail -c 224 w.gguf | head -c 204 >sines.q8_0
cat >w.json <<'END'
{
    "keys": {
        "general.architecture": "llama",
        "general.name": "java-written",
        "llama.embedding_length": 64,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "tokenizer.ggml.tokens": ["<s>", "hello", "world"]
    },
    "tensors": [
        {"name": "output_norm.weight", "type": "F32", "shape": [64], "fill": 1},
        {"name": "token_embd.weight", "type": "Q8_0", "shape": [64, 3],
         "raw": "sines.q8_0"}
    ]
}
END
"$GGUF" new out.gguf --spec w.json
cmp out.gguf w.gguf
wc -c <out.gguf
mkdir folder
"$GGUF" new -q -o folder/out.gguf --spec - <w.json
cmp folder/out.gguf w.gguf
ls -A . folder
