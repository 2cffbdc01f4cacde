"$GGUF" copy -q "$FILES/good/llama.gguf" m.gguf
"$GGUF" rm --rewrite --tensor m.gguf 'blk.1.*' output.weight
"$GGUF" tensors m.gguf | wc -l
"$GGUF" rm --rewrite --tensor m.gguf general.name
echo $?
"$GGUF" rm --rewrite --tensor m.gguf '*' -o none.gguf
"$GGUF" rm --rewrite m.gguf
echo $?
