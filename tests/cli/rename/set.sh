cp -r "$FILES/odd/d26-normal" shards
cp -r shards before
"$GGUF" rename --rewrite --tensor shards blk.1.a.weight blk.0.a.weight
echo $?
"$GGUF" rename --rewrite --tensor shards blk.1.a.weight renamed
diff -rq before shards
"$GGUF" rename --rewrite --tensor shards renamed again -o out.gguf
"$GGUF" tensors out-00001-of-00003.gguf
