# Free space of a later shard does not matter; what else has its name would be
# lost.
second=m-00002-of-00002.gguf
shard() {
    "$GGUF" new -q --force "m-0000$1-of-00002.gguf" --spec - <<END
{"keys": {"general.architecture": "llama", "split.no": {"type": "UINT16",
 "value": $(($1 - 1))}, "split.count": {"type": "UINT16", "value": 2},
 "split.tensors.count": {"type": "INT32", "value": 0}, "general.padding": "$2"}}
END
}
shard 1 ''
shard 2 '   '
"$GGUF" keys $second --single --names
"$GGUF" merge m-00001-of-00002.gguf out.gguf
shard 2 ' x '
"$GGUF" merge --force m-00001-of-00002.gguf out.gguf
"$GGUF" merge m-00001-of-00002.gguf none.gguf
echo $?
