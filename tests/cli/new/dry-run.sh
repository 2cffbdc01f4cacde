cat >s.json <<'END'
{"keys": {"general.architecture": "llama"}, "tensors": [
{"name": "large", "type": "F16", "shape": [4096, 4096], "fill": 0.5}]}
END
"$GGUF" new o.gguf --dry-run --spec s.json
"$GGUF" new o.gguf --dry-run --json --spec s.json
ls
"$GGUF" new o.gguf --json --spec s.json
wc -c <o.gguf
tail -c 6 o.gguf | od -An -tx1
