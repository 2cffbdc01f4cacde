# Shards of an earlier split of the same prefix are no part of the set.
cp "$FILES/odd/d26-normal"/*.gguf .
"$GGUF" check m-00001-of-00003.gguf | grep stale
cp m-00001-of-00003.gguf m-00004-of-00004.gguf
cp m-00001-of-00003.gguf mm-00001-of-00002.gguf
cp m-00001-of-00003.gguf m-00001-of-00002.txt
"$GGUF" check m-00002-of-00003.gguf | grep stale
cp m-00001-of-00003.gguf m-00002-of-00002.gguf
"$GGUF" check ./m-00002-of-00003.gguf | grep stale
"$GGUF" check --single m-00002-of-00003.gguf | grep stale
"$GGUF" merge m-00001-of-00003.gguf whole.gguf >/dev/null
rm m-00002-of-00002.gguf
"$GGUF" merge m-00001-of-00003.gguf other.gguf >/dev/null
cmp whole.gguf other.gguf
mkdir one
cp "$FILES/good/one-tensor.gguf" one/m-00001-of-00001.gguf
cp "$FILES/good/one-tensor.gguf" one/m-00001-of-00002.gguf
"$GGUF" check one/m-00001-of-00001.gguf | grep stale
