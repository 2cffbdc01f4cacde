# The content of a model that was split, merged, renamed: one line is enough.
cp "$FILES/good/llama.gguf" a.gguf
"$GGUF" split -q --max-tensors 8 a.gguf part
"$GGUF" hash --content part-00001-of-00003.gguf >of-set
"$GGUF" hash --content a.gguf >of-file
"$GGUF" hash -t -a xxh64 --content a.gguf >of-all
check() {
    "$GGUF" hash "$@" 2>&1
    echo "exit status $?"
}
check -c of-set a.gguf
check -c of-set part-00002-of-00003.gguf
check -q -c of-file part-00001-of-00003.gguf
check --content -c of-all part-00001-of-00003.gguf
check -c of-all part-00001-of-00003.gguf
check --json -c of-file part-00001-of-00003.gguf
echo 'another content; other digests that were asked for; several'
cp "$FILES/worked/worked-written.gguf" b.gguf
check -c of-file b.gguf
check -a xxh64 -c of-all part-00001-of-00003.gguf
check -a xxh64 --content -c of-all part-00001-of-00003.gguf
"$GGUF" hash --content b.gguf | cat - of-file of-file >of-both
check -c of-both part-00001-of-00003.gguf
check -c of-both b.gguf
check -c of-both a.gguf
