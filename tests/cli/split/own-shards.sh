# What is read is never removed or replaced, not even by force.
cp "$FILES/odd/d26-normal"/*.gguf .
cat ./*.gguf | cksum >before
"$GGUF" split -q --force --max-tensors 1 m-00001-of-00003.gguf m
echo "exit status $?"
"$GGUF" split -q --force --max-tensors 2 m-00001-of-00003.gguf ./m
echo "exit status $?"
ln -s m-00002-of-00003.gguf n-00001-of-00001.gguf
"$GGUF" split -q --force --max-tensors 100 m-00001-of-00003.gguf n
echo "exit status $?"
rm n-*
cat ./*.gguf | cksum | cmp - before
ls -a
