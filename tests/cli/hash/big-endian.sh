# Its digests are those of the bytes as they are; there is no content.
"$GGUF" hash -a sha1 "$FILES/good/llama-big.gguf"
"$GGUF" hash --content "$FILES/good/llama-big.gguf"
echo "$?"
"$GGUF" copy -q --byte-order little "$FILES/good/llama-big.gguf" little.gguf
"$GGUF" hash --content little.gguf | cut -c 1-7
