# By the same name, in another folder, from standard input, of some algorithms.
cp "$FILES/worked/worked-written.gguf" model.gguf
"$GGUF" hash -t -a all -a uuid --content model.gguf >manifest
"$GGUF" hash --check manifest model.gguf
mkdir sub
mv model.gguf sub
"$GGUF" hash -c manifest sub/model.gguf
"$GGUF" hash -c - sub/model.gguf <manifest
"$GGUF" hash -c manifest -a sha1 --content -v sub/model.gguf 2>/dev/null
sed 's/$/\r/; s/  */ /g' manifest | "$GGUF" hash -c - ./sub/model.gguf
"$GGUF" hash --json -c manifest -a uuid sub/model.gguf
grep token_embd manifest >>part
grep output_norm manifest >>part
"$GGUF" hash -c part sub/model.gguf
