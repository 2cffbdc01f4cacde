# What is there is not replaced; what is read, never.
printf '\001\002\003\004' >raw
cat >s.json <<'END'
{"tensors": [{"name": "w", "type": "I8", "shape": [4], "raw": "raw"}]}
END
ln -s raw link
"$GGUF" new raw --spec s.json --force
echo $?
"$GGUF" new link --spec s.json --force
echo $?
"$GGUF" new s.json --spec s.json --force
echo $?
echo old >o.gguf
"$GGUF" new o.gguf --spec s.json
echo $?
cat o.gguf
"$GGUF" new o.gguf --spec s.json --force -q
echo $?
head -c 4 o.gguf
"$GGUF" new no/o.gguf --spec s.json
echo $?
"$GGUF" new --spec s.json
"$GGUF" new x.gguf
"$GGUF" new x.gguf --spec none.json
echo $?
ls -A
wc -c <raw
cp s.json .o.gguf.ggk-tmp
"$GGUF" new --force o.gguf --spec .o.gguf.ggk-tmp
echo $?
"$GGUF" new --force o.gguf --spec - <.o.gguf.ggk-tmp
echo $?
cmp s.json .o.gguf.ggk-tmp
