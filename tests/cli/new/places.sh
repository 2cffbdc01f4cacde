# Where in a description: lines, columns in characters, and members.
try() {
    cat >s.json
    "$GGUF" new o.gguf --spec s.json 2>&1
    echo $?
}
try <<'END'
{
  "keys": {
    "general.name": "Žluťoučký" "x",
  }
}
END
try <<'END'
{
  "keys": {
    "general.name": "Žluťoučký",
    "my.key": {"type": "UINT8",
               "value": 256}
  }
}
END
try <<'END'
{
  "keys": [
    {"key": "a.b", "value": 1},
    {"key": "a.c", "typ": "UINT8", "value": 256}]
}
END
try <<'END'
{
  "tensors": [
    {"name": "a", "type": "F32", "fill": 1, "shape": [1]},
    {"name": "b", "type": "Q8_0", "raw": "raw",
     "shape": [33]}
  ]
}
END
try <<'END'
{
  "keys": {"a.b": 1, "c.d": 2,
           "a.b": 3}
}
END
