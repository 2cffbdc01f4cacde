"$GGUF" copy -q "$FILES/good/llama.gguf" m.gguf
"$GGUF" rm --tensor m.gguf 'blk.1.*' output.weight
"$GGUF" tensors m.gguf | wc -l
"$GGUF" rm --tensor m.gguf general.name
echo $?
"$GGUF" rm --tensor m.gguf '*' -o none.gguf
"$GGUF" rm m.gguf
echo $?
