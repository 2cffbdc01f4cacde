"$GGUF" copy "$FILES/odd/d26-normal" out.gguf
"$GGUF" copy -q --drop 'blk.1.*' "$FILES/odd/d26-normal" less
"$GGUF" keys less-00001-of-00003.gguf 'split.*'
