# Other shards of the prefix: they become backups, or are removed; what is no
# file is not.
small() {
    "$GGUF" split -q --max-tensors "$@" "$FILES/good/llama.gguf" p
}

small 7 && echo shard >p-00002-of-00003.gguf.bak
"$GGUF" split -q --max-tensors 11 "$FILES/good/llama.gguf" q
"$GGUF" set --rewrite --force --backup -o p.gguf q-00001-of-00002.gguf general.name=x
ls p*
"$GGUF" info p-00001-of-00002.gguf >/dev/null && rm p* && small 7
mkfifo p-00001-of-00004.gguf
small 11 --force
echo "status $?"
rm p-00001-of-00004.gguf && mkdir p-00001-of-00004.gguf
small 11 --force
echo "status $?"
ls -d p* && rmdir p-00001-of-00004.gguf
small 11 --force
ls p*
