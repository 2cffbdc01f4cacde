# What is not exactly the set; no shard is ever written to.
cp "$FILES/odd/d26-normal"/*.gguf .
cp "$FILES/good/llama.gguf" .
ln -s m-00003-of-00003.gguf link.gguf
ln m-00002-of-00003.gguf hard.gguf
cat ./*.gguf | cksum >before
one=m-00001-of-00003.gguf two=m-00002-of-00003.gguf three=m-00003-of-00003.gguf
for words in "$one" "$one $two $three" "--force $one $two $three" \
    "$one $two out" "$one $two $two out" "$one $two llama.gguf out" \
    "$one $two $three llama.gguf out" "$one $two $three link.gguf out" \
    "--force $one link.gguf" "--force $one hard.gguf" "--force $one ./$one" \
    "$one llama.gguf" "$one -o $two" "$one out -o out2" "--single $one out" \
    "$one x-00001-of-00002.gguf" "$one nowhere/out" "$one ." "- out"; do
    # shellcheck disable=SC2086 # words are meant
    "$GGUF" merge $words <"$one"
    echo "exit status $?"
done 2>&1 | grep -v '^try'
cat ./*.gguf | cksum | cmp - before
ls -a
