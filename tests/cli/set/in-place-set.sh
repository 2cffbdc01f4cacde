# needs: leases
# Of a set just the shard that changes is opened to be edited.
cp -r "$FILES/odd/d26-normal" shards
cp -r shards before
"$GGUF" set --in-place shards general.name='In Pieces'
diff -rq before shards
"$GGUF" rm --in-place shards/m-00003-of-00003.gguf general.name
"$GGUF" set --in-place shards general.name='In pieces'
diff -rq before shards
"$GGUF" set -q shards --reserve 100 --rewrite a.key=1
"$GGUF" info shards | grep free
"$GGUF" set -q --in-place shards a.other.key='and its value'
"$GGUF" info shards | grep free
ls -A shards
