cp -r "$FILES/odd/d26-normal" shards
cp -r shards before
"$GGUF" set --rewrite shards/*-00002-of-00003.gguf general.name=New
"$GGUF" set --rewrite shards a.key=1
diff -rq before shards
"$GGUF" set --rewrite shards a.key=2 -o out.gguf
ls
"$GGUF" get out-00003-of-00003.gguf a.key
"$GGUF" check -q --profile spec out-00001-of-00003.gguf >said || cat said
rm shards/*-00003-of-00003.gguf
"$GGUF" set --rewrite shards/*-00001-of-00003.gguf a.key=3
echo $?
"$GGUF" set --rewrite --single shards/*-00001-of-00003.gguf a.key=3
